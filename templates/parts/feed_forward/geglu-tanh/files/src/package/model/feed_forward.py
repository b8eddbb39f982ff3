"""The feed-forward network: GEGLU (https://arxiv.org/abs/2002.05202).

GELU is approximated by tanh, as in Gemma.
"""

import torch.nn.functional as F
from torch import Tensor, nn

from .hyperparameters import ModelConfig


# {# Slot: gated_modules reads config and the projections of self, may add to them. #}
class FeedForward(nn.Module):
    """``w2(gelu(w1 x) * w3 x)`` for every token: one projection gates the other."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.w1 = nn.Linear(config.dim, config.hidden_dim, bias=False)
        self.w2 = nn.Linear(config.hidden_dim, config.dim, bias=False)
        self.w3 = nn.Linear(config.dim, config.hidden_dim, bias=False)
        # {% print each.gated_modules() %}

    def forward(self, x: Tensor) -> Tensor:
        """x (..., dim) -> (..., dim)."""
        out: Tensor = self.w2(F.gelu(self.w1(x), approximate="tanh") * self.w3(x))
        return out
