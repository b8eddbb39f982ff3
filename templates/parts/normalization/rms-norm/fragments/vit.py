"""Scaled to a root mean square of 1.

# {% macro summary() %}
- RMSNorm (arXiv:1910.07467).
# {% endmacro %}
"""

from torch import nn


class Model(nn.Module):
    def __init__(self, config):
        # {% macro final() %}
        self.norm = nn.RMSNorm(config.dim, eps=config.norm_eps)
        # {% endmacro %}
