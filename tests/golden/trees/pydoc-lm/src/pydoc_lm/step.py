"""One optimizer step: gradients of all micro-batches, clipped, checked, applied."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import nn

from .data import Batch
from .objective import count_targets, summed_loss
from .state import TrainState


class StepResult(NamedTuple):
    """What one step did."""

    loss: float  # mean over all targets of the step, nats
    grad_norm: float  # over all parameters, before clipping
    finite: bool  # False: the loss or the gradients were not finite, and nothing was changed


def train_step(state: TrainState, batches: Sequence[Batch], max_grad_norm: float) -> StepResult:
    """Take one optimizer step on all micro-batches in ``batches``.

    Every target weighs the same, whichever micro-batch it is in: the sum of the losses is divided
    by the number of targets of the whole step, since a mean of means would favour short batches.
    """
    model = state.model
    optimizer = state.optimizer
    targets = torch.stack([count_targets(batch) for batch in batches]).sum()
    loss = torch.zeros((), device=targets.device)
    for batch in batches:
        micro_loss = summed_loss(model, batch) / targets
        micro_loss.backward()
        loss += micro_loss.detach()
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
    # Host-device sync: the only one of a step; a bad step must be known before it is applied.
    mean_loss, grad_norm = torch.stack([loss, norm.float()]).tolist()
    finite = math.isfinite(mean_loss) and math.isfinite(grad_norm)
    if finite:
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return StepResult(mean_loss, grad_norm, finite)
