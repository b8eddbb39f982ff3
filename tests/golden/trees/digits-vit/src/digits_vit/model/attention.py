"""Self-attention between all patches of an image.

Shapes: B batch, T patches, D width, N heads, H head width.
"""

import torch.nn.functional as F
from torch import Tensor, nn

from .hyperparameters import ModelConfig
from .rope import AxialRotaryEmbedding


class Attention(nn.Module):
    """Every patch looks at all patches."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.head_dim = config.head_dim
        width = config.n_heads * config.head_dim
        self.wq = nn.Linear(config.dim, width, bias=False)
        self.wk = nn.Linear(config.dim, width, bias=False)
        self.wv = nn.Linear(config.dim, width, bias=False)
        self.wo = nn.Linear(width, config.dim, bias=False)
        self.norm_eps = config.norm_eps
        self.rope = AxialRotaryEmbedding(config.head_dim, config.grid_size)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        q = self.wq(x).unflatten(-1, (-1, self.head_dim))  # (B, T, N, H), as k and v
        k = self.wk(x).unflatten(-1, (-1, self.head_dim))
        v = self.wv(x).unflatten(-1, (-1, self.head_dim))
        # QK-norm bounds the scores, which keeps training stable (arXiv:2302.05442, section 2).
        q = F.rms_norm(q, (self.head_dim,), eps=self.norm_eps)
        k = F.rms_norm(k, (self.head_dim,), eps=self.norm_eps)
        q, k = self.rope(q), self.rope(k)
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)  # (B, N, T, H)
        heads = F.scaled_dot_product_attention(q, k, v)
        out: Tensor = self.wo(heads.transpose(1, 2).flatten(2))
        return out
