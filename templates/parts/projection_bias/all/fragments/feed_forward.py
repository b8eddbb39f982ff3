"""Biases of every projection."""

import torch
from torch import nn


class FeedForward:
    def __init__(self):
        # {% macro modules() %}
        for projection in (self.w1, self.w2):
            projection.bias = nn.Parameter(torch.zeros(projection.out_features))
        # {% endmacro %}
        # {% macro gated_modules() %}
        for projection in (self.w1, self.w2, self.w3):
            projection.bias = nn.Parameter(torch.zeros(projection.out_features))
        # {% endmacro %}
