"""Byte-level byte-pair encoding (Sennrich et al., https://arxiv.org/abs/1508.07909).

Text is split into words as GPT-2 does, words into bytes, and frequent neighbours are merged. Every
byte is in the vocabulary, so any text can be encoded and comes back exactly.
"""

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from .config import ConfigError, DataConfig

FILE_NAME = "tokenizer.json"


class Tokenizer:
    """A trained vocabulary; the id ``end_of_text`` stands between documents."""

    end_of_text = 0  # the trainer numbers special tokens first

    def __init__(self, encoding: tokenizers.Tokenizer) -> None:
        self._encoding = encoding
        # Where a text spells out the marker, it is only text: it must not end a document.
        self._encoding.encode_special_tokens = True
        self.vocab_size: int = encoding.get_vocab_size()

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int) -> "Tokenizer":
        """Learn at most ``vocab_size`` tokens; a short text has fewer that occur together."""
        encoding = tokenizers.Tokenizer(models.BPE())
        encoding.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        encoding.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size,
            special_tokens=["<|endoftext|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        encoding.train_from_iterator(texts, trainer)
        return cls(encoding)

    def save(self, folder: Path) -> None:
        """Write ``tokenizer.json`` into the folder."""
        self._encoding.save(str(folder / FILE_NAME))

    def encode(self, text: str) -> list[int]:
        """The token ids of the text, without an end of text."""
        ids: list[int] = self._encoding.encode(text, add_special_tokens=False).ids
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of the ids; bytes that are no UTF-8, such as half a character, become U+FFFD."""
        text: str = self._encoding.decode(list(ids), skip_special_tokens=False)
        return text


def load_tokenizer(run_dir: Path, config: DataConfig) -> Tokenizer:
    """The tokenizer that a run was trained with; before its first step, that of the prepared data.

    Raises ``ConfigError`` if there is neither, or if the file is broken.
    """
    kept = run_dir / FILE_NAME
    path = kept if kept.exists() else Path(config.prepared_dir) / FILE_NAME
    if not path.exists():
        raise ConfigError(
            [
                f"data.prepared_dir = {config.prepared_dir}: holds no {FILE_NAME};"
                " run python -m {{package}}.prepare first"
            ]
        )
    try:
        return Tokenizer(tokenizers.Tokenizer.from_file(str(path)))
    except Exception as error:  # the library raises nothing more special
        raise ConfigError([f"{path}: is no tokenizer that can be read: {error}"]) from error


def keep_tokenizer(run_dir: Path, config: DataConfig) -> None:
    """Copy the tokenizer of the prepared data into the folder of the run that is trained on it.

    Whenever other text is prepared, a new vocabulary is learned, in which the tokens of this run
    would mean something else. Raises ``ConfigError`` if it cannot be written.
    """
    source, target = Path(config.prepared_dir) / FILE_NAME, run_dir / FILE_NAME
    partial = target.with_name(f"{FILE_NAME}.{os.getpid()}.tmp")  # each rank has one
    try:
        run_dir.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, partial)
        partial.replace(target)
    except OSError as error:
        raise ConfigError([f"train.run_dir = {run_dir}: {error}"]) from error
