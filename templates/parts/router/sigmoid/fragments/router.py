"""Each expert has a score of its own."""

import torch


class Router:
    def forward(self, logits, experts):
        # {% macro score() %}
        scores = torch.sigmoid(logits)  # DeepSeek-V3, https://arxiv.org/abs/2412.19437
        # {% endmacro %}
        # {% macro weigh() %}
        weights = scores.gather(-1, experts)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        # {% endmacro %}
        return scores, weights
