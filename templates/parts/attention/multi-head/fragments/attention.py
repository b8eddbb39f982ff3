"""As many key and value heads as query heads."""

import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, config):
        # {% macro projections() %}
        width = config.n_heads * config.head_dim
        self.wq = nn.Linear(config.dim, width, bias=False)
        self.wk = nn.Linear(config.dim, width, bias=False)
        self.wv = nn.Linear(config.dim, width, bias=False)
        self.wo = nn.Linear(width, config.dim, bias=False)
        # {% endmacro %}

    def forward(self, q, k, v, mask):
        # {% macro attend() %}
        heads = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        # {% endmacro %}
        # {% macro attend_masked() %}
        heads = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        # {% endmacro %}
        return heads
