"""Shifted to a mean of 0, scaled to a variance of 1."""

from torch import nn


class Model(nn.Module):
    def __init__(self, config):
        # {% macro modules() %}
        self.norm = nn.LayerNorm(config.dim, eps=config.norm_eps)
        # {% endmacro %}
