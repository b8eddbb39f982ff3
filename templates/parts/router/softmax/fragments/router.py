"""Probabilities."""

import torch


class Router:
    def forward(self, logits, experts):
        # {% macro score() %}
        scores = torch.softmax(logits, dim=-1)
        # {% endmacro %}
        # {% macro weigh() %}
        weights = scores.gather(-1, experts)
        # {% endmacro %}
        return scores, weights
