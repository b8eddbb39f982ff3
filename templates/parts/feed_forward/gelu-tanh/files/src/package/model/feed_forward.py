"""The feed-forward network: two layers with GELU between them (https://arxiv.org/abs/1606.08415).

GELU is approximated by tanh, as in GPT-2.
"""

import torch.nn.functional as F
from torch import Tensor, nn

from .hyperparameters import ModelConfig


# {# Slot: modules reads config and the projections of self, may add to them. #}
class FeedForward(nn.Module):
    """``w2(gelu(w1 x))`` for every token."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.w1 = nn.Linear(config.dim, config.hidden_dim, bias=False)
        self.w2 = nn.Linear(config.hidden_dim, config.dim, bias=False)
        # {% print each.modules() %}

    def forward(self, x: Tensor) -> Tensor:
        """x (..., dim) -> (..., dim)."""
        out: Tensor = self.w2(F.gelu(self.w1(x), approximate="tanh"))
        return out
