"""Evaluation is the mean over all samples, and leaves no trace on the model."""

from dataclasses import replace

import pytest
import torch
from package.config import Config
from package.data import ValidationSet
from package.evaluate import evaluate
from package.objective import count_targets, evaluate_batch
from package.signals import StopSignal
from package.state import TrainState

CPU = torch.device("cpu")


@pytest.fixture
def validation(config: Config, state: TrainState) -> ValidationSet:
    return ValidationSet(config.data, state.model.config)


def test_equals_the_mean_over_single_samples(
    state: TrainState, validation: ValidationSet, config: Config
) -> None:
    batches = [validation.samples(index, 1) for index in range(config.train.eval_samples)]
    with torch.no_grad():
        loss = sum(evaluate_batch(state.model, batch)["loss"].item() for batch in batches)
    expected = loss / sum(count_targets(batch).item() for batch in batches)
    # Five samples in micro-batches of two: the last is short.
    metrics = evaluate(state.model, validation, config.train, CPU, StopSignal())
    assert metrics is not None
    assert metrics["val_loss"] == pytest.approx(expected, rel=1e-2)


def test_more_samples_than_there_are_means_all(
    state: TrainState, validation: ValidationSet, config: Config
) -> None:
    results = [
        evaluate(state.model, validation, replace(config.train, eval_samples=n), CPU, StopSignal())
        for n in (len(validation), 10 * len(validation))
    ]
    assert results[0] == results[1]


def test_every_module_gets_its_mode_back(
    state: TrainState, validation: ValidationSet, config: Config
) -> None:
    state.model.train()
    state.model.layers[0].eval()
    modes = [module.training for module in state.model.modules()]
    evaluate(state.model, validation, config.train, CPU, StopSignal())
    assert [module.training for module in state.model.modules()] == modes
    assert all(parameter.grad is None for parameter in state.model.parameters())
