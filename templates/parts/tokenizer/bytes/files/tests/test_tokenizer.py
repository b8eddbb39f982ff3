"""Bytes: every text comes back, and the end of a text cannot be part of one."""

import pytest
from package.model import ModelConfig
from package.tokenizer import Tokenizer


@pytest.mark.parametrize("text", ["", "plain", "tab\tand\r\n", "é 漢字 🙂", "\ufeffBOM"])
def test_every_text_comes_back(text: str) -> None:
    tokenizer = Tokenizer()
    ids = tokenizer.encode(text)
    assert bytes(ids) == text.encode()
    assert tokenizer.decode(ids) == text
    assert tokenizer.end_of_text not in ids


def test_half_a_character_is_decoded_with_a_replacement() -> None:
    assert Tokenizer().decode(list("né".encode())[:-1]) == "n\ufffd"


def test_nul_is_refused() -> None:
    with pytest.raises(ValueError, match="character 3 is NUL"):
        Tokenizer().encode("abc\0def")


def test_the_model_has_an_embedding_for_every_token() -> None:
    assert ModelConfig().vocab_size == Tokenizer.vocab_size
