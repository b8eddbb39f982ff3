"""Ranks with shards do what one process does: same weights, losses, gradients, checkpoints."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import identical, new_state
from many_ranks import run_ranks
from package.config import Config
from package.data import TrainSet, ValidationSet
from package.evaluate import evaluate
from package.loader import Loader
from package.mesh import data_rank
from package.model import ModelConfig, build_model
from package.ranks import rank
from package.shards import whole
from package.signals import StopSignal
from package.step import train_step
from torch.distributed.tensor import DTensor

# {# Slots: tolerance binds TOLERANCE, ranks N_RANKS and N_SHARDS; on_many_ranks are tests. #}
CPU = torch.device("cpu")
# {% print parallelism.ranks() %}
# {% print precision.tolerance() %}


def in_full(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Copies of whole weights."""
    return {name: whole(weight).detach().clone() for name, weight in weights.items()}


def three_steps(config: Config, model_config: ModelConfig) -> dict[str, Any]:
    """Train and evaluate; returns what every number of ranks must agree on."""
    state = new_state(config, model_config, CPU)
    state.set_learning_rate(0.1)  # as in a warm-up, where what was rounded is amplified less
    model = state.model
    start = in_full(model.state_dict())
    values = config.train
    train_set = TrainSet(config.data, model_config, values.seed)
    with Loader(train_set, 0, values.batch_size, values.micro_batch_size, CPU) as loader:
        gradient: list[torch.Tensor] = []
        hook = state.optimizer.register_step_pre_hook(
            lambda *_: gradient.extend(
                whole(p.grad).flatten() for p in model.parameters() if p.grad is not None
            )
        )
        steps = [train_step(state, loader.next_step(), values.max_grad_norm)]
        hook.remove()
        steps += [train_step(state, loader.next_step(), values.max_grad_norm) for _ in range(2)]
    shards = [p.to_local().numel() for p in model.parameters() if isinstance(p, DTensor)]
    validation = ValidationSet(config.data, model_config)
    return {
        "start": start,
        "losses": [step.loss for step in steps],
        "norms": [step.grad_norm for step in steps],
        "gradient": torch.cat(gradient),
        "held": sum(shards),
        "evaluation": evaluate(model, validation, values, CPU, StopSignal()),
    }


def in_turn(configs: list[Config], model_config: ModelConfig) -> list[dict[str, Any]]:
    return [three_steps(config, model_config) for config in configs]


@pytest.fixture
def small_micro_batches(config: Config) -> Config:
    return replace(config, train=replace(config.train, batch_size=8, micro_batch_size=1))


@pytest.fixture
def plain(config: Config, model_config: ModelConfig) -> dict[str, torch.Tensor]:
    """The weights of the small model in one process, without any sharding."""
    return build_model(model_config, CPU, config.train.seed).state_dict()


def test_many_ranks_equal_one(
    small_micro_batches: Config,
    model_config: ModelConfig,
    plain: dict[str, torch.Tensor],
    tmp_path: Path,
) -> None:
    (one,) = run_ranks(1, tmp_path / "one", three_steps, small_micro_batches, model_config)
    first, *others = run_ranks(
        N_RANKS, tmp_path / "many", three_steps, small_micro_batches, model_config
    )
    assert identical(first["start"], dict(plain))
    for name in ("losses", "norms", "gradient", "evaluation"):
        assert all(identical(first[name], other[name]) for other in others)
    difference = first["gradient"] - one["gradient"]
    assert difference.norm() < TOLERANCE * one["gradient"].norm()
    assert first["losses"][0] == pytest.approx(one["losses"][0], rel=TOLERANCE)
    later = max(TOLERANCE, 1e-3)  # an update amplifies what was rounded before
    for name in ("losses", "norms", "evaluation"):
        torch.testing.assert_close(first[name], one[name], rtol=later, atol=later)
    # Dimensions that do not divide leave the first ranks with a row more.
    n_values = sum(weight.numel() for weight in build_model(model_config, CPU, 0).parameters())
    assert n_values / N_SHARDS <= first["held"] < 1.2 * n_values / N_SHARDS


def test_where_shards_are_kept_changes_no_number(
    small_micro_batches: Config, model_config: ModelConfig, tmp_path: Path
) -> None:
    values = replace(small_micro_batches.train, cpu_offload=True, reshard_after_forward=False)
    configs = [small_micro_batches, replace(small_micro_batches, train=values)]
    usual, other = run_ranks(2, tmp_path / "ranks", in_turn, configs, model_config)[0]
    assert identical(other, usual)


# {% print checkpoint.on_many_ranks() %}
def sample_numbers(config: Config) -> tuple[int, list[int]]:
    """The data rank of this process, and the samples that it trains on in the first two steps."""
    loader = Loader.__new__(Loader)  # no thread: only the sharing out is of interest
    loader._batch_size = config.train.batch_size
    loader._micro_batch_size = config.train.micro_batch_size
    numbers = [
        first + offset
        for seen in (0, config.train.batch_size)
        for first in loader._first_samples(seen)
        for offset in range(config.train.micro_batch_size)
    ]
    return data_rank(), numbers


@pytest.mark.parametrize("total", [1, 2, 4])
def test_every_sample_is_used_once_at_any_number_of_ranks(
    small_micro_batches: Config, tmp_path: Path, total: int
) -> None:
    shares = dict(run_ranks(total, tmp_path / "shares", sample_numbers, small_micro_batches))
    assert sorted(number for share in shares.values() for number in share) == list(range(16))


def one_rank_is_not_finite(config: Config, model_config: ModelConfig) -> dict[str, Any]:
    state = new_state(config, model_config, CPU)
    before = in_full(state.model.state_dict())
    if rank() == 1:
        state.model.layers[0].register_forward_hook(lambda _m, _i, out: out * float("nan"))
    batch = TrainSet(config.data, model_config, seed=0).samples(2 * data_rank(), 2)
    result = train_step(state, [batch], 1.0)
    same = identical(in_full(state.model.state_dict()), before)
    return {"finite": result.finite, "unchanged": same}


def test_a_loss_that_is_not_finite_on_one_rank_holds_back_all(
    config: Config, model_config: ModelConfig, tmp_path: Path
) -> None:
    results = run_ranks(2, tmp_path / "nan", one_rank_is_not_finite, config, model_config)
    assert results == [{"finite": False, "unchanged": True}] * 2
