"""A bias of what attention gives."""

import torch
from torch import nn


class Attention:
    def __init__(self, config):
        # {% macro modules() %}
        self.wo.bias = nn.Parameter(torch.empty(config.dim))
        # {% endmacro %}
        self.config = config
