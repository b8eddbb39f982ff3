"""Scaled to a root mean square of 1."""

from torch import nn


class Block(nn.Module):
    def __init__(self, config):
        # {% macro norms() %}
        self.attention_norm = nn.RMSNorm(config.dim, eps=config.norm_eps)
        self.ffn_norm = nn.RMSNorm(config.dim, eps=config.norm_eps)
        # {% endmacro %}
        # {% macro post_norms() %}
        self.post_attention_norm = nn.RMSNorm(config.dim, eps=config.norm_eps)
        self.post_ffn_norm = nn.RMSNorm(config.dim, eps=config.norm_eps)
        # {% endmacro %}
        # {% macro mamba_norm() %}
        self.mamba_norm = nn.RMSNorm(config.dim, eps=config.norm_eps)
        # {% endmacro %}
        # {% macro mamba_norms() %}
        self.mamba_norm = nn.RMSNorm(config.dim, eps=config.norm_eps)
        self.ffn_norm = nn.RMSNorm(config.dim, eps=config.norm_eps)
        # {% endmacro %}
