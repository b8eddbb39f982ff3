"""Biases of all projections of attention."""

import torch
from torch import nn


class Attention:
    def __init__(self, config):
        # {% macro modules() %}
        for projection in (self.wq, self.wk, self.wv, self.wo):
            projection.bias = nn.Parameter(torch.empty(projection.out_features))
        # {% endmacro %}
        self.config = config
