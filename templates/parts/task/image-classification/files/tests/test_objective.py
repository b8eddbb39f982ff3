"""The loss and what is reported of it, against the definition in float64."""

import math
from collections import defaultdict

import pytest
import torch
from package.data import Batch
from package.objective import count_targets, evaluate_batch, validation_metrics
from torch import nn

LOGITS = torch.tensor([[2.0, 0.0, 1.0], [0.0, 3.0, 0.5], [1.0, 2.0, 0.0]])
MODEL = nn.Identity()
BATCH = Batch(LOGITS, torch.tensor([0, 1, 2]))


def negative_log_likelihood() -> float:
    """The sum over the three images."""
    scores = LOGITS.double().exp()
    return -sum(math.log(scores[row, row] / scores[row].sum()) for row in range(3))


def test_loss_is_the_negative_log_likelihood() -> None:
    loss = evaluate_batch(MODEL, BATCH)["loss"]
    assert loss.dtype == torch.float32
    assert loss.item() == pytest.approx(negative_log_likelihood(), rel=1e-6)
    assert count_targets(BATCH).item() == 3


def test_validation_weighs_every_image_alike() -> None:
    sums: defaultdict[str, float] = defaultdict(float)
    for rows in (slice(0, 2), slice(2, 3)):
        batch = Batch(BATCH.inputs[rows], BATCH.targets[rows])
        for name, value in evaluate_batch(MODEL, batch).items():
            sums[name] += value.item()
    metrics = validation_metrics(sums)
    assert metrics["val_accuracy"] == pytest.approx(2 / 3)
    assert metrics["val_loss"] == pytest.approx(negative_log_likelihood() / 3, rel=1e-6)
