"""Balance of the experts without a loss: a bias for each, which follows its load.

https://arxiv.org/abs/2408.15664, algorithm 1.
"""

import torch
from torch import Tensor, nn

from .expert_load import routers_of


@torch.no_grad()
def shift_biases(model: nn.Module, loads: Tensor) -> None:
    """Raise the bias of every expert with less than the mean load, lower that of the others.

    ``loads`` (routers, n_experts) are those of the step over all devices, so that the biases stay
    the same on each.
    """
    # Sums in place of means: whole numbers are exact, and MPS has no float64.
    signs = torch.sign(loads.sum(dim=1, keepdim=True) - loads.size(1) * loads).float()
    for router, sign in zip(routers_of(model), signs, strict=True):
        router.bias += router.bias_update_rate * sign
