"""Which experts a token goes through, and with which weights.

Shapes: N tokens, D width, K experts of each token, E experts.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .hyperparameters import ModelConfig


# {# Slots: prepare reads config, binds what the others need of self. score reads logits, binds scores;
#    choose reads scores, binds experts; weigh reads both, binds weights (N, K); observe reads scores
#    and counts, in training. #}
class Routing(NamedTuple):
    """The choice for each token, and its outcome for each expert."""

    experts: Tensor  # (N, K) int64
    weights: Tensor  # (N, K) float32, of the experts' outputs
    counts: Tensor  # (E,) int64, tokens that each expert got


class Router(nn.Module):
    """One score for each token and expert; the ``top_k`` experts with the highest are chosen."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.top_k = config.top_k
        self.gate = nn.Linear(config.dim, config.n_experts, bias=False)
        # Tokens that each expert got since the last step; evaluation does not count.
        self.load: Tensor
        self.register_buffer("load", torch.zeros(config.n_experts).long(), persistent=False)
        # {% print each.prepare() %}

    def forward(self, tokens: Tensor) -> Routing:
        """Route tokens (N, D).

        Scores are computed in float32 whatever the precision is: rounded to 8 bits, many of them
        would be equal, and the choice would be another one.
        """
        with _no_autocast(tokens.device):
            logits = F.linear(tokens.float(), self.gate.weight.float())  # (N, E)
        # {% print router.score() %}
        # {% print balance.choose() %}
        # {% print router.weigh() %}
        chosen = experts.flatten()
        counts = torch.zeros_like(self.load).scatter_add(0, chosen, torch.ones_like(chosen))
        if self.training:
            self.load += counts
            # {% print balance.observe() %}
        return Routing(experts, weights, counts)


def _no_autocast(device: torch.device) -> AbstractContextManager[None]:
    """Switch autocast off where there is one; the meta device has none."""
    if torch.amp.is_autocast_available(device.type):
        return torch.autocast(device.type, enabled=False)
    return nullcontext()
