"""A bias moves the choice, and nothing else."""

import torch
from torch import Tensor


class Router:
    def __init__(self, config):
        # {% macro prepare() %}
        # Added to the scores for the choice only (https://arxiv.org/abs/2408.15664).
        self.bias_update_rate = config.bias_update_rate
        self.bias: Tensor
        self.register_buffer("bias", torch.zeros(config.n_experts))
        # {% endmacro %}

    def forward(self, scores):
        # {% macro choose() %}
        experts = (scores + self.bias).topk(self.top_k, dim=-1).indices
        # {% endmacro %}
        # {% macro observe() %}
        # {% endmacro %}
        return experts
