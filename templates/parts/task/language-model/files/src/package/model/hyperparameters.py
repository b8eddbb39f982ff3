"""The shape of the model, which is code and no run-time value: another shape is another model."""

from dataclasses import dataclass


# {# Slots: docstring is that of ModelConfig; vocabulary and fields hold fields of ModelConfig, with their values; methods may check
#    them, and bind head_dim where it is no field. #}
@dataclass(frozen=True)
class ModelConfig:
    # {% print mixer.docstring() %}
    # {% print tokenizer.vocabulary() %}
    max_seq_len: int = {{design.task.max_seq_len}}  # tokens the model can see at once
    dim: int = {{design.task.dim}}  # width of the residual stream
    n_layers: int = {{design.task.n_layers}}
    # {% print each.fields() %}
    norm_eps: float = {{design.normalization.eps}}  # under the root, so that no norm divides by 0

    # {% print each.methods() %}
    @property
    def tokens_per_sample(self) -> int:
        """Tokens that one training sample has."""
        return self.max_seq_len
