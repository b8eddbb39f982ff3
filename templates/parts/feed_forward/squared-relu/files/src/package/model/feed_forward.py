"""The feed-forward network: two layers with a squared ReLU (https://arxiv.org/abs/2109.08668)."""

import torch.nn.functional as F
from torch import Tensor, nn

from .hyperparameters import ModelConfig


# {# Slot: modules reads config and the projections of self, may add to them. #}
class FeedForward(nn.Module):
    """``w2(relu(w1 x) ** 2)`` for every token."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.w1 = nn.Linear(config.dim, config.hidden_dim, bias=False)
        self.w2 = nn.Linear(config.hidden_dim, config.dim, bias=False)
        # {% print each.modules() %}

    def forward(self, x: Tensor) -> Tensor:
        """x (..., dim) -> (..., dim)."""
        hidden = F.relu(self.w1(x))
        # A product, because autocast would take a power in float32, which is twice the memory.
        out: Tensor = self.w2(hidden * hidden)
        return out
