"""Two processes do what one does: same loss, same gradients, same weights, same data."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import new_state
from many_ranks import run_ranks
from package.config import Config
from package.data import TrainSet, ValidationSet
from package.evaluate import evaluate
from package.loader import Loader
from package.model import ModelConfig
from package.ranks import rank
from package.signals import StopSignal
from package.step import train_step

# {# Slot: tolerance binds TOLERANCE. #}
CPU = torch.device("cpu")
# {% print precision.tolerance() %}


def three_steps(config: Config, model_config: ModelConfig) -> dict[str, Any]:
    """Train and evaluate; returns what every number of ranks must agree on."""
    state = new_state(config, model_config, CPU)
    state.set_learning_rate(0.1)  # as in a warm-up, where what was rounded is amplified less
    model = state.model
    values = config.train
    train_set = TrainSet(config.data, model_config, values.seed)
    with Loader(train_set, 0, values.batch_size, values.micro_batch_size, CPU) as loader:
        first = loader.next_step()
        gradient: list[torch.Tensor] = []
        hook = state.optimizer.register_step_pre_hook(
            lambda *_: gradient.extend(
                p.grad.flatten() for p in model.parameters() if p.grad is not None
            )
        )
        steps = [train_step(state, first, values.max_grad_norm)]
        hook.remove()
        steps += [train_step(state, loader.next_step(), values.max_grad_norm) for _ in range(2)]
    validation = ValidationSet(config.data, model_config)
    return {
        "losses": [step.loss for step in steps],
        "norms": [step.grad_norm for step in steps],
        "gradient": torch.cat(gradient),
        "weights": {name: value.detach().clone() for name, value in model.named_parameters()},
        "evaluation": evaluate(model, validation, values, CPU, StopSignal()),
    }


@pytest.fixture
def small_micro_batches(config: Config) -> Config:
    return replace(config, train=replace(config.train, batch_size=8, micro_batch_size=2))


def test_two_ranks_equal_one(
    small_micro_batches: Config, model_config: ModelConfig, tmp_path: Path
) -> None:
    (one,) = run_ranks(1, tmp_path / "one", three_steps, small_micro_batches, model_config)
    two = run_ranks(2, tmp_path / "two", three_steps, small_micro_batches, model_config)
    torch.testing.assert_close(two[0], two[1], rtol=0, atol=0)
    difference = two[0]["gradient"] - one["gradient"]
    assert difference.norm() < TOLERANCE * one["gradient"].norm()
    assert two[0]["losses"][0] == pytest.approx(one["losses"][0], rel=TOLERANCE)
    later = max(TOLERANCE, 1e-3)  # an update amplifies what was rounded before
    for name in ("losses", "norms", "evaluation"):
        torch.testing.assert_close(two[0][name], one[name], rtol=later, atol=later)


def sample_numbers(config: Config) -> list[int]:
    """The samples that this rank trains on in the first two steps."""
    loader = Loader.__new__(Loader)  # no thread: only the sharing out is of interest
    loader._batch_size = config.train.batch_size
    loader._micro_batch_size = config.train.micro_batch_size
    return [
        first + offset
        for seen in (0, config.train.batch_size)
        for first in loader._first_samples(seen)
        for offset in range(config.train.micro_batch_size)
    ]


@pytest.mark.parametrize("total", [1, 2, 4])
def test_every_sample_is_used_once_at_any_number_of_ranks(
    small_micro_batches: Config, tmp_path: Path, total: int
) -> None:
    shares = run_ranks(total, tmp_path / "shares", sample_numbers, small_micro_batches)
    assert sorted(number for share in shares for number in share) == list(range(16))


def one_rank_is_not_finite(config: Config, model_config: ModelConfig) -> dict[str, Any]:
    state = new_state(config, model_config, CPU)
    model = state.model
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    if rank() == 1:
        model.layers[0].register_forward_hook(lambda _m, _i, output: output * float("nan"))
    batch = TrainSet(config.data, model_config, seed=0).samples(2 * rank(), 2)
    result = train_step(state, [batch], 1.0)
    after = dict(model.named_parameters())
    same = all(torch.equal(after[name], value) for name, value in before.items())
    return {"finite": result.finite, "unchanged": same}


def test_a_loss_that_is_not_finite_on_one_rank_holds_back_all(
    config: Config, model_config: ModelConfig, tmp_path: Path
) -> None:
    results = run_ranks(2, tmp_path / "nan", one_rank_is_not_finite, config, model_config)
    assert results == [{"finite": False, "unchanged": True}] * 2
