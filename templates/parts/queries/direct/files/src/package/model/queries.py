"""The queries of latent attention (https://arxiv.org/abs/2405.04434, section 2.1)."""

from torch import nn

from .hyperparameters import ModelConfig


class Queries(nn.Linear):
    """The queries of all heads, one after the other: x (..., dim) -> (..., n_heads x width)."""

    def __init__(self, config: ModelConfig) -> None:
        width = config.qk_nope_head_dim + config.qk_rope_head_dim
        super().__init__(config.dim, config.n_heads * width, bias=False)
