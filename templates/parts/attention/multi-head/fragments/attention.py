"""As many key and value heads as query heads."""

import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, config):
        # {% macro widths() %}
        self.head_dim = config.head_dim
        self.norm_eps = config.norm_eps
        # {% endmacro %}
        # {% macro projections() %}
        self.wq = nn.Linear(config.dim, config.dim, bias=False)
        self.wk = nn.Linear(config.dim, config.dim, bias=False)
        self.wv = nn.Linear(config.dim, config.dim, bias=False)
        self.wo = nn.Linear(config.dim, config.dim, bias=False)
        # {% endmacro %}

    def forward(self, x, mask):
        # {% macro project() %}
        q = self.wq(x).unflatten(-1, (-1, self.head_dim))  # (B, T, N, H), as k and v
        k = self.wk(x).unflatten(-1, (-1, self.head_dim))
        v = self.wv(x).unflatten(-1, (-1, self.head_dim))
        # QK-norm bounds the scores, which keeps training stable (arXiv:2302.05442, section 2).
        q = F.rms_norm(q, (self.head_dim,), eps=self.norm_eps)
        k = F.rms_norm(k, (self.head_dim,), eps=self.norm_eps)
        # {% endmacro %}
        # {% macro arrange() %}
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)  # (B, N, T, H)
        # {% endmacro %}
        # {% macro attend() %}
        heads = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        # {% endmacro %}
        return heads
