"""The shape of the model, which is code and no run-time value: another shape is another model."""

from dataclasses import dataclass


# {# Slots: each fields holds fields of ModelConfig, with their values; methods checks dim, n_heads
#    and head_dim, binds head_dim if it is no field. #}
@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the transformer; raises ``ValueError`` if they do not go together."""

    # {% print tokenizer.fields() %}
    max_seq_len: int = {{design.task.max_seq_len}}  # tokens the model can see at once
    dim: int = {{design.task.dim}}  # width of the residual stream
    n_layers: int = {{design.task.n_layers}}
    n_heads: int = {{design.task.n_heads}}  # query heads in each layer
    # {% print head_width.fields() %}
    # {% print attention.fields() %}
    # {% print span.fields() %}
    # {% print position.fields() %}
    # {% print feed_forward.fields() %}
    # {% print logits.fields() %}
    norm_eps: float = 1e-6  # added to the mean square, so that no norm divides by zero

    # {% print head_width.methods() %}
    @property
    def tokens_per_sample(self) -> int:
        """Tokens that one training sample has."""
        return self.max_seq_len
