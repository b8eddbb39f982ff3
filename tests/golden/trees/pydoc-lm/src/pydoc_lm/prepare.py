"""Turn text into token files.

    python -m pydoc_lm.prepare [--config FILE] [group.key=value ...]

The documents are joined into one stream with an end-of-text token between them. The last
``data.val_fraction`` of its characters are for validation: for a single file, its end. Both parts
are written as plain arrays of ids with ``meta.json`` beside them, first under another name, so that
a prepared folder is always whole.
"""

import hashlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from .config import ConfigError, DataConfig, load_config
from .console import exit_code_of
from .corpus import Document, list_documents
from .data import META_NAME, Meta, require_tokens, shard_name
from .model import ModelConfig
from .tokenizer import Tokenizer

SHARD_TOKENS = 100_000_000  # in one file: few files, and none too large to copy about


class Piece(NamedTuple):
    """A document's share of a part of the stream; ``ends`` if an end of text follows."""

    name: str
    text: str
    ends: bool


def prepare(config: DataConfig, model: ModelConfig, shard_tokens: int = SHARD_TOKENS) -> Meta:
    """Write the tokens of the text into ``config.prepared_dir``; replaces what was prepared there.

    Each document is held in memory as a whole while it is encoded. Raises ``ConfigError`` if the
    text is too short, is not UTF-8 or cannot be read, or if the tokens cannot be written.
    """
    target = Path(config.prepared_dir)
    if target.exists() and not target.is_dir():
        raise ConfigError([f"data.prepared_dir = {target}: is a file; give a folder"])
    if target.exists() and not (target / META_NAME).exists() and any(target.iterdir()):
        raise ConfigError(
            [f"data.prepared_dir = {target}: holds other files; give an empty or a new folder"]
        )
    folder = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    try:
        folder.mkdir(parents=True)
        meta = _fill(folder, config, model, shard_tokens)
        _install(folder, target)
    except OSError as error:
        raise ConfigError([f"data.prepared_dir = {target}: {error}"]) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return meta


def _fill(folder: Path, config: DataConfig, model: ModelConfig, shard_tokens: int) -> Meta:
    """Write everything that belongs to the prepared text into an empty folder."""
    documents = list_documents(config)
    lengths, digest = _measure(documents)
    cut = round(sum(lengths) * (1 - config.val_fraction))
    tokenizer = Tokenizer()
    dtype = np.min_scalar_type(tokenizer.vocab_size - 1).newbyteorder("<")
    n_tokens = {}
    for split, first, last in (("train", 0, cut), ("val", cut, sum(lengths))):
        shards = _Shards(folder, split, dtype, shard_tokens)
        with tqdm(desc=split, total=last - first, unit=" characters", disable=None) as bar:
            for piece in pieces(documents, lengths, first, last):
                try:
                    ids = tokenizer.encode(piece.text)
                except ValueError as error:
                    raise ConfigError([f"data.text: {piece.name!r}: {error}"]) from error
                shards.append([*ids, tokenizer.end_of_text] if piece.ends else ids)
                bar.update(len(piece.text))
        require_tokens(shards.n_tokens, split, model)
        n_tokens[split] = shards.n_tokens
    meta = Meta(
        text=config.text,
        file_patterns=config.file_patterns,
        val_fraction=config.val_fraction,
        vocab_size=model.vocab_size,
        n_documents=len(documents),
        n_bytes=sum(document.n_bytes for document in documents),
        sha256=digest,
        train_tokens=n_tokens["train"],
        val_tokens=n_tokens["val"],
        dtype=dtype.str,
        end_of_text=tokenizer.end_of_text,
    )
    (folder / META_NAME).write_text(json.dumps(asdict(meta), indent=2) + "\n", encoding="utf-8")
    return meta


def pieces(
    documents: Sequence[Document], lengths: Sequence[int], first: int, last: int
) -> Iterator[Piece]:
    """The characters ``first`` to ``last`` of the stream, document by document.

    ``lengths`` are those of the documents, in characters. An end of text follows each document but
    the last one of the stream.
    """
    start = 0
    for document, length in zip(documents, lengths, strict=True):
        end = start + length
        if start < last and end > first:
            text = document.text()[max(first - start, 0) : last - start]
            yield Piece(document.name, text, ends=end <= last and document is not documents[-1])
        start = end


class _Shards:
    """Token files of one split, each of at most ``shard_tokens`` tokens."""

    def __init__(self, folder: Path, split: str, dtype: np.dtype, shard_tokens: int) -> None:
        self.n_tokens = 0
        self._folder = folder
        self._split = split
        self._dtype = dtype
        self._shard_tokens = shard_tokens

    def append(self, ids: Sequence[int]) -> None:
        tokens = np.array(ids, self._dtype)
        while tokens.size:
            shard, filled = divmod(self.n_tokens, self._shard_tokens)
            now, tokens = np.split(tokens, [self._shard_tokens - filled])
            with (self._folder / shard_name(self._split, shard)).open("ab") as file:
                file.write(now.tobytes())
            self.n_tokens += now.size


def _measure(documents: Sequence[Document]) -> tuple[list[int], str]:
    """The length of each document in characters, and the SHA-256 of all names and contents."""
    digest = hashlib.sha256()
    lengths = []
    for document in tqdm(documents, desc="read", unit=" documents", disable=None):
        content = document.text()
        lengths.append(len(content))
        digest.update(f"{document.name!a} {document.n_bytes}\n".encode() + content.encode("utf-8"))
    return lengths, digest.hexdigest()


def _install(folder: Path, target: Path) -> None:
    """Put the finished folder in the place of ``target``."""
    for path in folder.iterdir():
        with path.open("rb+") as file:
            os.fsync(file.fileno())  # on the disk before the name says that it is there
    replaced = target.with_name(f"{target.name}.{os.getpid()}.old")
    if target.exists():
        target.rename(replaced)
    folder.rename(target)
    shutil.rmtree(replaced, ignore_errors=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prepare the text of the configuration; what is wrong is printed, one problem a line."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: nothing is left behind
    return exit_code_of(lambda: _prepare(sys.argv[1:] if arguments is None else arguments))


def _prepare(arguments: Sequence[str]) -> int:
    config = load_config(arguments).data
    meta = prepare(config, ModelConfig())
    print(
        f"{config.prepared_dir}: {meta.train_tokens:,} training and {meta.val_tokens:,} validation"
        f" tokens from {meta.n_documents:,} documents of {meta.n_bytes:,} bytes in all"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
