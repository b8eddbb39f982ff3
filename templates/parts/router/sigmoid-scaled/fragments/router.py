"""Each expert has a score of its own; what is added up is made larger."""

import torch


class Router:
    def __init__(self, config):
        # {% macro prepare() %}
        self.routed_scaling_factor = config.routed_scaling_factor
        # {% endmacro %}

    def forward(self, logits, experts):
        # {% macro score() %}
        scores = torch.sigmoid(logits)  # DeepSeek-V3, https://arxiv.org/abs/2412.19437
        # {% endmacro %}
        # {% macro weigh() %}
        weights = scores.gather(-1, experts)
        weights = self.routed_scaling_factor * weights / weights.sum(dim=-1, keepdim=True)
        # {% endmacro %}
        return scores, weights
