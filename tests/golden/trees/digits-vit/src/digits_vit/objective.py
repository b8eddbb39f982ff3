"""What is minimized and measured: the cross-entropy of the classes, and the accuracy."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .data import Batch


def summed_loss(model: nn.Module, batch: Batch) -> Tensor:
    """Cross-entropy in nats, summed over all images of the batch (0-d, float32).

    A sum, because whoever adds up several batches must divide by the images of all of them.
    """
    return _loss(model(batch.inputs), batch)


def count_targets(batch: Batch) -> Tensor:
    """Number of images (0-d, int64)."""
    return torch.tensor(batch.targets.numel(), device=batch.targets.device)


@torch.no_grad()
def evaluate_batch(model: nn.Module, batch: Batch) -> dict[str, Tensor]:
    """Sums over the batch, which can be added up over batches and ranks."""
    logits = model(batch.inputs)
    correct = (logits.argmax(dim=-1) == batch.targets).sum()
    return {"loss": _loss(logits, batch), "targets": count_targets(batch), "correct": correct}


def validation_metrics(sums: dict[str, float]) -> dict[str, float]:
    """Metrics of the sums over a whole set: ``val_loss`` in nats per image, ``val_accuracy``."""
    return {
        "val_loss": sums["loss"] / sums["targets"],
        "val_accuracy": sums["correct"] / sums["targets"],
    }


def _loss(logits: Tensor, batch: Batch) -> Tensor:
    return F.cross_entropy(logits.float(), batch.targets, reduction="sum")
