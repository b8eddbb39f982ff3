"""One step: every target weighs the same, the gradient is clipped, nothing bad is applied."""

import copy
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import torch
from conftest import identical
from package.config import Config
from package.data import Batch, TrainSet
from package.model import ModelConfig
from package.objective import count_targets, summed_loss
from package.state import TrainState
from package.step import StepResult, train_step

NO_LIMIT = 1e9


@pytest.fixture
def batch(config: Config, model_config: ModelConfig) -> Batch:
    return TrainSet(config.data, model_config, seed=0).samples(0, 4)


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    if torch.is_tensor(value):
        yield value
    elif isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from tensors_in(item)


def step_from(
    start: dict[str, Any], state: TrainState, batches: list[Batch], limit: float
) -> tuple[StepResult, torch.Tensor]:
    """Take a step from a saved state; returns its result and the gradient that was applied."""
    applied: list[torch.Tensor] = []
    state.load_state_dict(copy.deepcopy(start))
    hook = state.optimizer.register_step_pre_hook(
        lambda *_: applied.extend(
            p.grad.flatten() for p in state.model.parameters() if p.grad is not None
        )
    )
    result = train_step(state, batches, limit)
    hook.remove()
    return result, torch.cat(applied)


def test_micro_batches_of_unequal_size_equal_one_batch(state: TrainState, batch: Batch) -> None:
    start = copy.deepcopy(state.state_dict())
    whole, gradient = step_from(start, state, [batch], NO_LIMIT)
    first, rest = (Batch(*(t[part] for t in batch)) for part in (slice(0, 1), slice(1, 4)))
    parts, accumulated = step_from(start, state, [first, rest], NO_LIMIT)
    assert parts.loss == pytest.approx(whole.loss, rel=1e-2)
    # Weighing both micro-batches alike would be off by a third or more.
    assert (accumulated - gradient).norm() < 0.02 * gradient.norm()


def test_the_loss_is_the_mean_over_targets(state: TrainState, batch: Batch) -> None:
    expected = summed_loss(state.model, batch) / count_targets(batch)
    assert train_step(state, [batch], NO_LIMIT).loss == pytest.approx(expected.item(), rel=1e-2)


def test_a_long_gradient_is_shortened_to_the_limit(state: TrainState, batch: Batch) -> None:
    start = copy.deepcopy(state.state_dict())
    free, gradient = step_from(start, state, [batch], NO_LIMIT)
    assert gradient.norm().item() == pytest.approx(free.grad_norm, rel=1e-3)
    limit = free.grad_norm / 2
    clipped, shortened = step_from(start, state, [batch], limit)
    assert shortened.norm().item() == pytest.approx(limit, rel=1e-3)
    assert clipped.grad_norm == pytest.approx(free.grad_norm, rel=1e-3)  # as it was before


def test_a_step_that_is_not_finite_changes_nothing(state: TrainState, batch: Batch) -> None:
    train_step(state, [batch], NO_LIMIT)
    before = copy.deepcopy(state.state_dict())
    layer = state.model.layers[0]
    layer.register_forward_hook(lambda _module, _inputs, output: output * float("nan"))
    result = train_step(state, [batch], NO_LIMIT)
    assert not result.finite
    assert identical(state.state_dict(), before)


def test_the_loss_falls_on_a_batch_seen_again(state: TrainState, batch: Batch) -> None:
    losses = [train_step(state, [batch], 1.0).loss for _ in range(10)]
    assert losses[-1] < losses[0]


def test_weights_and_moments_are_float32(state: TrainState, batch: Batch) -> None:
    train_step(state, [batch], 1.0)
    kept = [state.model.state_dict(), state.optimizer.state_dict()]
    assert {tensor.dtype for tensor in tensors_in(kept)} == {torch.float32}
