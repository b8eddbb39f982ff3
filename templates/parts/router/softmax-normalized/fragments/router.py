"""Probabilities, scaled to add up to 1."""

import torch


class Router:
    def forward(self, logits, experts):
        # {% macro score() %}
        scores = torch.softmax(logits, dim=-1)
        # {% endmacro %}
        # {% macro weigh() %}
        weights = scores.gather(-1, experts)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        # {% endmacro %}
        return scores, weights
