"""Shifted to a mean of 0, scaled to a variance of 1."""

from torch import nn


class Block(nn.Module):
    def __init__(self, config):
        # {% macro norms() %}
        self.attention_norm = nn.LayerNorm(config.dim, eps=config.norm_eps)
        self.ffn_norm = nn.LayerNorm(config.dim, eps=config.norm_eps)
        # {% endmacro %}
        # {% macro post_norms() %}
        self.post_attention_norm = nn.LayerNorm(config.dim, eps=config.norm_eps)
        self.post_ffn_norm = nn.LayerNorm(config.dim, eps=config.norm_eps)
        # {% endmacro %}
