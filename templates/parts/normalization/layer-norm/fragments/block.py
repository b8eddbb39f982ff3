"""Shifted to a mean of 0, scaled to a variance of 1."""

from torch import nn


class Block(nn.Module):
    def __init__(self, config):
        # {% macro norms() %}
        self.attention_norm = nn.LayerNorm(config.dim, eps=config.norm_eps, bias=False)
        self.ffn_norm = nn.LayerNorm(config.dim, eps=config.norm_eps, bias=False)
        # {% endmacro %}
        # {% macro post_norms() %}
        self.post_attention_norm = nn.LayerNorm(config.dim, eps=config.norm_eps, bias=False)
        self.post_ffn_norm = nn.LayerNorm(config.dim, eps=config.norm_eps, bias=False)
        # {% endmacro %}
        # {% macro mamba_norm() %}
        self.mamba_norm = nn.LayerNorm(config.dim, eps=config.norm_eps, bias=False)
        # {% endmacro %}
        # {% macro mamba_norms() %}
        self.mamba_norm = nn.LayerNorm(config.dim, eps=config.norm_eps, bias=False)
        self.ffn_norm = nn.LayerNorm(config.dim, eps=config.norm_eps, bias=False)
        # {% endmacro %}
