"""Byte-level byte-pair encoding (Sennrich et al., https://arxiv.org/abs/1508.07909).

Text is split into words as GPT-2 does, words into bytes, and frequent neighbours are merged. Every
byte is in the vocabulary, so any text can be encoded and comes back exactly.
"""

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


def load_tokenizer(config: DataConfig) -> Tokenizer:
    """The tokenizer that the data was prepared with.

    Raises ``ConfigError`` if the data is not prepared.
    """
    path = Path(config.prepared_dir) / FILE_NAME
    if not path.exists():
        raise ConfigError(
            [
                f"data.prepared_dir = {config.prepared_dir}: holds no {FILE_NAME};"
                " run python -m {{package}}.prepare first"
            ]
        )
    return Tokenizer(tokenizers.Tokenizer.from_file(str(path)))
