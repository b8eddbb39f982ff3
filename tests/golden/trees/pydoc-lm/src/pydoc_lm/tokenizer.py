"""Text as its UTF-8 bytes: nothing to train, and every text comes back exactly."""

from collections.abc import Sequence
from pathlib import Path

from .config import DataConfig


class Tokenizer:
    """One token per byte. The byte 0 (NUL) stands between documents, since no text needs it."""

    vocab_size = 256
    end_of_text = 0

    def encode(self, text: str) -> list[int]:
        """The token ids of the text, without an end of text.

        Raises ``ValueError`` if the text holds a NUL character.
        """
        ids = list(text.encode("utf-8"))
        if self.end_of_text in ids:
            raise ValueError(
                f"character {text.index(chr(self.end_of_text))} is NUL, which stands for the end of"
                " a text; remove it"
            )
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of the ids; bytes that are no UTF-8, such as half a character, become U+FFFD."""
        return bytes(ids).decode("utf-8", errors="replace")


def load_tokenizer(_run_dir: Path, _config: DataConfig) -> Tokenizer:
    """The tokenizer of a run; bytes need no file."""
    return Tokenizer()
