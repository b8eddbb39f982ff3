"""Byte-pair encoding: every text comes back, training is repeatable, files are enough."""

from pathlib import Path

import pytest
from package.config import Config, ConfigError
from package.tokenizer import Tokenizer, keep_tokenizer, load_tokenizer

TEXT = ["the cat sat on the mat", "the cat ate the rat"]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train(TEXT, 270)


@pytest.mark.parametrize(
    "text", ["", "the cat", "tab\tand\r\n  ", "é 漢字 🙂", "\ufeffBOM \0", "a<|endoftext|>b"]
)
def test_every_text_comes_back(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert tokenizer.end_of_text not in ids


def test_frequent_words_become_one_token(tokenizer: Tokenizer) -> None:
    assert tokenizer.vocab_size == 270
    assert len(tokenizer.encode(" the the the")) == 3


def test_a_short_text_has_a_smaller_vocabulary() -> None:
    assert Tokenizer.train(["ab"], 1000).vocab_size == 258


def test_training_again_gives_the_same_file(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path)
    first = (tmp_path / "tokenizer.json").read_bytes()
    Tokenizer.train(TEXT, 270).save(tmp_path)
    assert (tmp_path / "tokenizer.json").read_bytes() == first


def test_a_run_keeps_its_tokenizer_when_other_text_is_prepared(
    tokenizer: Tokenizer, config: Config
) -> None:
    prepared, run_dir = Path(config.data.prepared_dir), Path(config.train.run_dir)
    prepared.mkdir(parents=True, exist_ok=True)
    tokenizer.save(prepared)
    assert load_tokenizer(run_dir, config.data).encode(TEXT[0]) == tokenizer.encode(TEXT[0])
    keep_tokenizer(run_dir, config.data)
    Tokenizer.train(["something else"], 300).save(prepared)
    assert load_tokenizer(run_dir, config.data).encode(TEXT[0]) == tokenizer.encode(TEXT[0])
    assert [path.name for path in run_dir.iterdir()] == ["tokenizer.json"]


def test_a_broken_file_is_named(config: Config) -> None:
    run_dir = Path(config.train.run_dir)
    run_dir.mkdir(parents=True)
    (run_dir / "tokenizer.json").write_text("{")
    with pytest.raises(ConfigError, match=r"tokenizer\.json: is no tokenizer"):
        load_tokenizer(run_dir, config.data)
