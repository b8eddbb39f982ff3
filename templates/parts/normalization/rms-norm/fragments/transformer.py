"""Scaled to a root mean square of 1."""

from torch import nn


class Model(nn.Module):
    def __init__(self, config):
        # {% macro modules() %}
        self.norm = nn.RMSNorm(config.dim, eps=config.norm_eps)
        # {% endmacro %}
