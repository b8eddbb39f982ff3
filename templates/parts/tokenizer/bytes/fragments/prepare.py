"""Bytes need no training."""

from .tokenizer import Tokenizer


def prepare():
    # {% macro fit() %}
    tokenizer = Tokenizer()
    # {% endmacro %}
    return tokenizer
