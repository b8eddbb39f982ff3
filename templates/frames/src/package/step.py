"""One optimizer step: gradients of all micro-batches, clipped, checked, applied."""

from collections.abc import Sequence
from typing import NamedTuple

import torch

from .data import Batch
from .objective import count_targets
from .state import TrainState


# {# Slots: model reads state, binds model. targets reads and rebinds targets (0-d, this rank's).
#    gradients reads state, model, batches and targets, binds loss. clipped reads model,
#    max_grad_norm and loss, binds norm and rebinds loss. before_clip and apply read state, optimizer,
#    mean_loss and grad_norm; apply binds finite. after_step reads state and finite. #}
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
    # {% print parallelism.model() %}
    optimizer = state.optimizer
    targets = torch.stack([count_targets(batch) for batch in batches]).sum()
    # {% print parallelism.targets() %}
    # {% print each.gradients() %}
    # {% print precision.before_clip() %}
    # {% print each.clipped() %}
    # Host-device sync, once a step: a bad one must be known before it is applied.
    mean_loss, grad_norm = torch.stack([loss, norm.float()]).tolist()
    # {% print precision.apply() %}
    # {% print balance.after_step() %}
    optimizer.zero_grad(set_to_none=True)
    return StepResult(mean_loss, grad_norm, finite)
