"""The loss on held-out data, with every module's mode put back afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from .config import TrainConfig
from .data import ValidationSet
from .objective import validation_metrics
from .signals import StopSignal


# {# Slots: starts binds starts, the index of the first sample of each batch; it reads n_samples and
#    batch_size. own_tokens rebinds batch. forward reads model and batch, binds sums. reduce reads
#    and rebinds totals. #}
@contextmanager
def evaluation_mode(model: nn.Module) -> Iterator[None]:
    """Put the model into evaluation mode, then give each module the mode it had before."""
    training = {module: module.training for module in model.modules()}
    model.eval()
    try:
        yield
    finally:
        for module, mode in training.items():
            module.training = mode


@torch.no_grad()
def evaluate(
    model: nn.Module,
    validation: ValidationSet,
    config: TrainConfig,
    device: torch.device,
    stop: StopSignal,
) -> dict[str, float] | None:
    """Metrics over the first ``eval_samples`` validation samples; None if a stop was asked for.

    Sums and counts are added up before anything is divided, so a short last batch weighs what it
    should. Only sums are kept, never logits.
    """
    n_samples = min(config.eval_samples, len(validation))
    batch_size = config.micro_batch_size
    # {% print parallelism.starts() %}
    totals: dict[str, Tensor] = {}
    with evaluation_mode(model):
        for first in starts:
            if stop.requested():
                return None
            batch = validation.samples(first, min(batch_size, n_samples - first)).to(device)
            # {% print each.own_tokens() %}
            # {% print precision.evaluate() %}
            for name, value in sums.items():
                totals[name] = totals[name] + value if name in totals else value
    # {% print parallelism.reduce() %}
    # Host-device sync: once an evaluation.
    return validation_metrics({name: value.item() for name, value in totals.items()})
