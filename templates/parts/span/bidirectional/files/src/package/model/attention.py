"""Self-attention between all patches of an image.

Shapes: B batch, T patches, D width, N heads, H head width.
"""

import torch.nn.functional as F
from torch import Tensor, nn

from .hyperparameters import ModelConfig


# {# Slots: projections reads config, binds self.head_dim, wq, wk, wv, wo; modules read config, may
#    bind more of self; normalize and rotate rebind q and k. #}
class Attention(nn.Module):
    """Every patch looks at all patches."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        # {% print attention.projections() %}
        # {% print each.modules() %}

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        q = self.wq(x).unflatten(-1, (-1, self.head_dim))  # (B, T, N, H), as k and v
        k = self.wk(x).unflatten(-1, (-1, self.head_dim))
        v = self.wv(x).unflatten(-1, (-1, self.head_dim))
        # {% print qk_norm.normalize() %}
        # {% print position.rotate() %}
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)  # (B, N, T, H)
        heads = F.scaled_dot_product_attention(q, k, v)
        out: Tensor = self.wo(heads.transpose(1, 2).flatten(2))
        return out
