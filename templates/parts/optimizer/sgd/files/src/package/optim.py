"""SGD with Nesterov momentum: the first lines of the log say what is decayed.

Weight decay pulls the weight matrices of linear layers towards zero. Norms, biases and embeddings
are left alone: decaying a gain or a shift does not regularise, and rare tokens would vanish.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from .config import OptimizerConfig


def parameter_groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """Every parameter of the model in exactly one group, by what it is for."""
    embeddings = {m.weight for m in model.modules() if isinstance(m, nn.Embedding)}
    matrices = {m.weight for m in model.modules() if isinstance(m, nn.Linear)} - embeddings
    # A set finds the members; the order comes from the model, or it would change from run to run.
    parameters = list(model.parameters())
    groups = [
        {
            "name": "matrices",
            "params": [p for p in parameters if p in matrices],
            "weight_decay": weight_decay,
        },
        {
            "name": "embeddings, norms, biases",
            "params": [p for p in parameters if p not in matrices],
            "weight_decay": 0.0,
        },
    ]
    return [group for group in groups if group["params"]]


def build_optimizer(model: nn.Module, config: OptimizerConfig) -> torch.optim.Optimizer:
    """SGD over all parameters; ``base_lr`` of a group is its rate at the peak of the schedule."""
    groups = parameter_groups(model, config.weight_decay)
    for group in groups:
        group["base_lr"] = config.learning_rate
    # Not fused: if the gradients of the first step overflow, as in float16, the fused kernel starts
    # from a momentum that nobody has written (torch 2.13).
    return torch.optim.SGD(groups, lr=config.learning_rate, momentum=config.momentum, nesterov=True)


def describe_groups(optimizer: torch.optim.Optimizer) -> Sequence[str]:
    """A line for each group: what is in it, how many values, which rate and decay."""
    return [
        f"{group['name']}: {sum(p.numel() for p in group['params']):,} values,"
        f" learning rate {group['base_lr']:g}, weight decay {group['weight_decay']:g}"
        for group in optimizer.param_groups
    ]
