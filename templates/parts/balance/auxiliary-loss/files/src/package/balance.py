"""Balance of the experts by a second term of the objective."""

from collections.abc import Callable
from functools import wraps

import torch
from torch import Tensor, nn

from .data import IGNORE_INDEX, Batch
from .expert_load import routers_of

SummedLoss = Callable[[nn.Module, Batch], Tensor]


def with_balance(summed_loss: SummedLoss) -> SummedLoss:
    """In training, let the gradient of a loss be that of loss and balance.

    The value stays that of the loss alone, to be compared with ``val_loss``. The balance of a
    micro-batch weighs as much as its targets, as the loss does: both are divided by all targets.
    """

    @wraps(summed_loss)
    def joined(model: nn.Module, batch: Batch) -> Tensor:
        loss = summed_loss(model, batch)
        balance = take_balance_loss(model) * (batch.targets != IGNORE_INDEX).sum()
        return loss + balance - balance.detach()

    return joined


def take_balance_loss(model: nn.Module) -> Tensor:
    """The balance losses of all layers in the last batch, added up; 0 after an evaluation."""
    total = torch.zeros((), device=next(model.parameters()).device)
    for router in routers_of(model):
        if router.balance_loss is not None:
            total = total + router.balance_loss
            router.balance_loss = None
    return total
