"""From text to tokens: which text is found, how it is split, and that nothing of it is lost."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from package.config import ConfigError, DataConfig
from package.corpus import list_documents
from package.data import ValidationSet
from package.model import ModelConfig
from package.prepare import pieces, prepare
from package.tokenizer import load_tokenizer


def config_for(text: Path | str, folder: Path) -> DataConfig:
    """A configuration for a text, with the prepared tokens in ``folder``."""
    return DataConfig(
        text=str(text),
        file_patterns="*.txt *.md",
        prepared_dir=str(folder / "prepared"),
        val_fraction=0.1,
    )


def numbers(n_characters: int) -> str:
    """Text in which every place is different, some of it outside ASCII."""
    return "".join(f"{number} é\r\n" for number in range(n_characters))[:n_characters]


def validation_tokens(config: DataConfig, model: ModelConfig) -> Iterator[int]:
    """The inputs of the validation windows, one after the other."""
    validation = ValidationSet(config, model)
    yield from validation.samples(0, len(validation)).inputs.flatten().tolist()


def test_one_file_is_split_at_its_end(tmp_path: Path, model_config: ModelConfig) -> None:
    text = numbers(100 * model_config.max_seq_len)
    kept = text[round(len(text) * 0.9) :]
    path = tmp_path / "one.txt"
    path.write_bytes(text.encode())
    config = config_for(path, tmp_path)
    meta = prepare(config, model_config)
    tokenizer = load_tokenizer(tmp_path, config)
    expected = tokenizer.encode(kept)
    assert tokenizer.decode(expected) == kept
    assert meta.val_tokens == len(expected)
    # The very last token is only a target.
    assert list(validation_tokens(config, model_config))[: len(expected) - 1] == expected[:-1]


def test_the_text_of_python_needs_no_files(tmp_path: Path) -> None:
    config = config_for("builtin", tmp_path)
    documents = list_documents(config)
    assert len(documents) > 50
    assert sum(document.n_bytes for document in documents) > 300_000
    assert documents == list_documents(config)


def test_a_folder_is_searched_for_text_with_any_name(tmp_path: Path) -> None:
    wanted = ["a.txt", "b c.MD", "deep/er/é 漢字.txt", "-x.txt", "[1].md"]
    others = ["code.py", ".hidden.txt", ".git/a.txt"]
    for name in wanted + others:
        path = tmp_path / "text" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    (tmp_path / "text" / "empty.txt").touch()
    documents = list_documents(config_for(tmp_path / "text", tmp_path))
    assert sorted(document.name for document in documents) == sorted(wanted)
    assert all(document.text() == document.name for document in documents)


def test_a_document_ends_where_the_next_begins(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.txt").write_text(name)
    documents = list_documents(config_for(tmp_path, tmp_path))
    lengths = [document.n_bytes for document in documents]
    whole = list(pieces(documents, lengths, 0, sum(lengths)))
    assert [piece.ends for piece in whole] == [True, True, False]
    for cut in range(sum(lengths) + 1):
        parts = [*pieces(documents, lengths, 0, cut), *pieces(documents, lengths, cut, 11)]
        assert "".join(part.text for part in parts) == "".join(piece.text for piece in whole)
        assert sum(part.ends for part in parts) == len(documents) - 1


def test_preparing_again_replaces_and_gives_the_same_bytes(
    tmp_path: Path, model_config: ModelConfig
) -> None:
    path = tmp_path / "text.md"
    config = config_for(path, tmp_path)
    contents = []
    for n_windows in (100, 120, 100):
        path.write_bytes(numbers(n_windows * model_config.max_seq_len).encode())
        prepare(config, model_config)
        files = sorted((tmp_path / "prepared").iterdir())
        contents.append({file.name: file.read_bytes() for file in files})
    assert contents[0] == contents[2] != contents[1]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["prepared", "text.md"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"abc\xff", r"is not UTF-8: byte 3 is 0xff"),
        (b"too short", r"gives \d+ tokens for train, and"),
        (b"", r"holds no text"),
        (None, r"no such file or folder"),
    ],
)
def test_a_text_that_cannot_be_used_is_refused(
    tmp_path: Path, model_config: ModelConfig, content: bytes | None, message: str
) -> None:
    path = tmp_path / "text.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        prepare(config_for(path, tmp_path), model_config)
    assert not list(tmp_path.glob("prepared*"))


def test_a_document_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("text")
    document = list_documents(config_for(path, tmp_path))[0]
    path.unlink()
    with pytest.raises(ConfigError, match=r"data.text: .*text.txt"):
        document.text()


def test_tokens_that_cannot_be_written_are_an_error_of_the_folder(
    tmp_path: Path, model_config: ModelConfig
) -> None:
    (tmp_path / "file").write_text("mine")
    config = config_for("builtin", tmp_path)
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(ConfigError, match="data.prepared_dir = "):
            prepare(replace(config, prepared_dir=str(folder)), model_config)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "mine"


def test_a_folder_with_other_files_is_not_replaced(
    tmp_path: Path, model_config: ModelConfig
) -> None:
    (tmp_path / "prepared").mkdir()
    (tmp_path / "prepared" / "thesis.tex").touch()
    with pytest.raises(ConfigError, match="holds other files"):
        prepare(config_for("builtin", tmp_path), model_config)
    assert (tmp_path / "prepared" / "thesis.tex").exists()
