"""Causal self-attention.

Shapes: B batch, T tokens, S tokens that are looked at, D width, N heads, H head width.
"""

import torch.nn.functional as F
from torch import Tensor, nn

from .cache import LayerCache
from .hyperparameters import ModelConfig
from .rope import RotaryEmbedding


class Attention(nn.Module):
    """Every token looks at itself and at all tokens before it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.head_dim = config.head_dim
        width = config.n_heads * config.head_dim
        self.wq = nn.Linear(config.dim, width, bias=False)
        self.wk = nn.Linear(config.dim, width, bias=False)
        self.wv = nn.Linear(config.dim, width, bias=False)
        self.wo = nn.Linear(width, config.dim, bias=False)
        self.norm_eps = config.norm_eps
        self.rope = RotaryEmbedding(config.head_dim, config.max_seq_len, config.rope_theta)

    def forward(self, x: Tensor, cache: LayerCache | None = None) -> Tensor:
        """x (B, T, D) -> (B, T, D); with a cache, x follows the tokens that the cache has seen."""
        q = self.wq(x).unflatten(-1, (-1, self.head_dim))  # (B, T, N, H), as k and v
        k = self.wk(x).unflatten(-1, (-1, self.head_dim))
        v = self.wv(x).unflatten(-1, (-1, self.head_dim))
        # QK-norm bounds the scores, which keeps training stable (arXiv:2302.05442, section 2).
        q = F.rms_norm(q, (self.head_dim,), eps=self.norm_eps)
        k = F.rms_norm(k, (self.head_dim,), eps=self.norm_eps)
        start = 0 if cache is None else cache.length
        q, k = self.rope(q, start), self.rope(k, start)
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)  # (B, N, T, H)
        mask: Tensor | None = None
        if cache is not None:
            k, v, mask = cache.extend(k, v)
        heads = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        out: Tensor = self.wo(heads.transpose(1, 2).flatten(2))
        return out
