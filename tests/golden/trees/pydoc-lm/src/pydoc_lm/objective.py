"""What is minimized, and what is measured: the cross-entropy of the next token."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .data import IGNORE_INDEX, Batch


def summed_loss(model: nn.Module, batch: Batch) -> Tensor:
    """What is minimized, in nats, summed over all targets of the batch (0-d, float32)."""
    logits = model(batch.inputs)
    loss = cross_entropy(logits, batch)
    # Terms are sums: the step divides by the targets of all its batches, which differ in number.
    return loss


def count_targets(batch: Batch) -> Tensor:
    """Number of targets that count (0-d, int64)."""
    return (batch.targets != IGNORE_INDEX).sum()


@torch.no_grad()
def evaluate_batch(model: nn.Module, batch: Batch) -> dict[str, Tensor]:
    """Sums over the batch, which can be added up over batches and ranks."""
    logits = model(batch.inputs)
    return {
        "loss": cross_entropy(logits, batch),
        "targets": count_targets(batch),
    }


def validation_metrics(sums: dict[str, float]) -> dict[str, float]:
    """Metrics of the sums over a whole validation set: ``val_loss`` in nats per token."""
    return {
        "val_loss": sums["loss"] / sums["targets"],
    }


def cross_entropy(logits: Tensor, batch: Batch) -> Tensor:
    """In nats, summed over all targets of the batch (0-d, float32)."""
    return F.cross_entropy(
        logits.flatten(0, 1).float(),
        batch.targets.flatten(),
        ignore_index=IGNORE_INDEX,
        reduction="sum",
    )
