"""What is minimized, and what is measured: cross-entropy of the classes, and accuracy."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .data import Batch


def summed_loss(model: nn.Module, batch: Batch) -> Tensor:
    """What is minimized, in nats, summed over all images of the batch (0-d, float32)."""
    logits = model(batch.inputs)
    loss = cross_entropy(logits, batch)
    # Terms are sums: the step divides by the images of all its batches, which differ in number.
    return loss


def count_targets(batch: Batch) -> Tensor:
    """Number of images (0-d, int64)."""
    # Filled in on the device: a copy from the host would wait for the work before it.
    return torch.full((), batch.targets.numel(), device=batch.targets.device)


@torch.no_grad()
def evaluate_batch(model: nn.Module, batch: Batch) -> dict[str, Tensor]:
    """Sums over the batch, which can be added up over batches and ranks."""
    logits = model(batch.inputs)
    return {
        "loss": cross_entropy(logits, batch),
        "targets": count_targets(batch),
        "correct": (logits.argmax(dim=-1) == batch.targets).sum(),
    }


def validation_metrics(sums: dict[str, float]) -> dict[str, float]:
    """Metrics of the sums over a whole set: ``val_loss`` in nats per image, ``val_accuracy``."""
    return {
        "val_loss": sums["loss"] / sums["targets"],
        "val_accuracy": sums["correct"] / sums["targets"],
    }


def cross_entropy(logits: Tensor, batch: Batch) -> Tensor:
    """In nats, summed over all images of the batch (0-d, float32)."""
    return F.cross_entropy(logits.float(), batch.targets, reduction="sum")
