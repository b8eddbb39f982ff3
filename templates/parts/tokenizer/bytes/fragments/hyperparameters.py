"""One id for each byte."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelConfig:
    # {% macro vocabulary() %}
    vocab_size: int = 256  # every byte is a token
    # {% endmacro %}
