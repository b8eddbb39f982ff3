"""The loss and what is reported of it, against the definition in float64."""

import math
from collections import defaultdict

import pytest
import torch
from package.data import IGNORE_INDEX, Batch
from package.model import ModelConfig, Transformer, build_model
from package.objective import count_targets, evaluate_batch, validation_metrics


@pytest.fixture
def model(model_config: ModelConfig) -> Transformer:
    return build_model(model_config, torch.device("cpu"), seed=0)


@pytest.fixture
def batch(model_config: ModelConfig) -> Batch:
    """Three rows of 16 targets, of which 1, 13 and all are to be ignored."""
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(model_config.vocab_size, (3, 17), generator=generator)
    targets = tokens[:, 1:].clone()
    targets[0, 5] = targets[1, 3:] = targets[2] = IGNORE_INDEX
    return Batch(tokens[:, :-1], targets)


def test_loss_is_the_negative_log_likelihood(model: Transformer, batch: Batch) -> None:
    logits = model(batch.inputs).detach().double()
    expected = 0.0
    for row, position in (batch.targets != IGNORE_INDEX).nonzero().tolist():
        scores = logits[row, position].exp()
        expected -= math.log(scores[batch.targets[row, position]] / scores.sum())
    loss = evaluate_batch(model, batch)["loss"]
    assert loss.dtype == torch.float32
    assert loss.item() == pytest.approx(expected, rel=1e-5)
    assert count_targets(batch).item() == 15 + 3


def test_validation_weighs_every_target_alike(model: Transformer, batch: Batch) -> None:
    sums: defaultdict[str, float] = defaultdict(float)
    for row in range(3):
        part = Batch(batch.inputs[row : row + 1], batch.targets[row : row + 1])
        for name, value in evaluate_batch(model, part).items():
            sums[name] += value.item()
    expected = evaluate_batch(model, batch)["loss"].item() / 18
    assert validation_metrics(sums)["val_loss"] == pytest.approx(expected, rel=1e-6)
