"""What the choice cost the balance."""

from torch import Tensor


class Router:
    def __init__(self, config):
        # {% macro prepare() %}
        self.balance_weight = config.balance_weight
        self.balance_loss: Tensor | None = None  # of the last batch in training, until it is used
        # {% endmacro %}

    def forward(self, scores, counts):
        # {% macro choose() %}
        experts = scores.topk(self.top_k, dim=-1).indices
        # {% endmacro %}
        if self.training:
            # {% macro observe() %}
            # Experts x the sum of share of tokens x mean share of scores: 1 if both are even, and
            # more if the experts with many tokens have high scores (Switch, arXiv:2101.03961).
            shares = (scores / scores.sum(dim=-1, keepdim=True)).mean(dim=0)
            evenness = len(counts) * (counts / counts.sum() * shares).sum()
            self.balance_loss = self.balance_weight * evenness
            # {% endmacro %}
        return experts
