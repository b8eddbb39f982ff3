"""The trained vocabulary."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelConfig:
    # {% macro vocabulary() %}
    vocab_size: int = {{design.tokenizer.vocab_size}}  # tokens the tokenizer learns at most
    # {% endmacro %}
