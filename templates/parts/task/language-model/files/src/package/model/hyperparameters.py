"""The shape of the model, which is code and no run-time value: another shape is another model."""

from dataclasses import dataclass


# {# Slots: each holds fields of ModelConfig, with their values; head_dim is a property. #}
@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the transformer; raises ``ValueError`` if they do not go together."""

    # {% print tokenizer.fields() %}
    max_seq_len: int = {{design.task.max_seq_len}}  # tokens the model can see at once
    dim: int = {{design.task.dim}}  # width of the residual stream
    n_layers: int = {{design.task.n_layers}}
    n_heads: int = {{design.task.n_heads}}  # query heads in each layer
    # {% print attention.fields() %}
    # {% print queries.fields() %}
    # {% print span.fields() %}
    # {% print position.fields() %}
    # {% print feed_forward.fields() %}
    # {% print balance.fields() %}
    norm_eps: float = 1e-6  # added to the mean square, so that no norm divides by zero

    def __post_init__(self) -> None:
        if self.dim % self.n_heads != 0:
            raise ValueError(
                f"dim = {self.dim}: must be a multiple of n_heads = {self.n_heads};"
                f" the next one is {self.n_heads * (self.dim // self.n_heads + 1)}"
            )

    # {% print attention.head_dim() %}
    @property
    def tokens_per_sample(self) -> int:
        """Tokens that one training sample has."""
        return self.max_seq_len
