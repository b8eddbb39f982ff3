"""Keys and values come from one narrow vector for each token."""

import torch
from torch import nn

from .queries import Queries


class Attention(nn.Module):
    def __init__(self, config):
        # {% macro projections() %}
        self.n_heads = config.n_heads
        self.query_widths = (config.qk_nope_head_dim, config.qk_rope_head_dim)
        self.latent_widths = (config.kv_lora_rank, config.qk_rope_head_dim)
        self.content_widths = (config.qk_nope_head_dim, config.v_head_dim)
        self.wq = Queries(config)
        self.wkv_a = nn.Linear(config.dim, sum(self.latent_widths), bias=False)
        # An epsilon of 1e-6 in DeepSeek-V3 and Moonlight, whatever that of other norms is.
        self.kv_norm = nn.RMSNorm(config.kv_lora_rank, eps=1e-6)
        self.wkv_b = nn.Linear(
            config.kv_lora_rank, config.n_heads * sum(self.content_widths), bias=False
        )
        self.wo = nn.Linear(config.n_heads * config.v_head_dim, config.dim, bias=False)
        # {% endmacro %}

    def forward(self, x, mask):
        # {% macro project() %}
        # The position is in features of their own, q and k, so that the others can be made from a
        # latent vector that does not depend on it.
        q_content, q = self.wq(x).unflatten(-1, (self.n_heads, -1)).split(self.query_widths, dim=-1)
        latent, k = self.wkv_a(x)[:, :, None].split(self.latent_widths, dim=-1)  # (B, T, 1, H)
        latent = self.kv_norm(latent.type_as(self.kv_norm.weight))
        # {% endmacro %}
        # {% macro arrange() %}
        q = torch.cat((q_content, q), dim=-1).transpose(1, 2)  # (B, N, T, H)
        # {% print each.sharpen() %}
        k, v = k.transpose(1, 2), latent.transpose(1, 2)  # (B, 1, T, H), what the cache keeps
        # {% endmacro %}
        # {% macro attend() %}
        # The other features of the keys, and the values, are made from the latent vectors of all S
        # tokens: at each call anew, which costs products in generation and keeps the cache small.
        made = self.wkv_b(v[:, 0]).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
        k_content, v = made.split(self.content_widths, dim=-1)  # (B, N, S, H)
        k = torch.cat((k_content, k.expand(-1, self.n_heads, -1, -1)), dim=-1)
        # {% print scores.attend() %}
        # {% endmacro %}
        # {% macro attend_masked() %}
        # The other features of the keys, and the values, are made from the latent vectors of all S
        # tokens: at each call anew, which costs products in generation and keeps the cache small.
        made = self.wkv_b(v[:, 0]).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
        k_content, v = made.split(self.content_widths, dim=-1)  # (B, N, S, H)
        k = torch.cat((k_content, k.expand(-1, self.n_heads, -1, -1)), dim=-1)
        # {% print scores.attend() %}
        # {% endmacro %}
        return heads
