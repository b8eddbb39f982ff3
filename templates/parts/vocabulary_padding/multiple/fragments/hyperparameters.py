"""Unused rows."""


class ModelConfig:
    # {% macro fields() %}
    vocab_multiple: int = {{design.vocabulary_padding.vocab_multiple}}  # of rows of embeddings
    # {% endmacro %}

    # {% macro methods() %}
    @property
    def padded_vocab_size(self) -> int:
        """Rows of the embeddings: those of the tokens, and unused ones up to a multiple."""
        return -(-self.vocab_size // self.vocab_multiple) * self.vocab_multiple

    # {% endmacro %}
