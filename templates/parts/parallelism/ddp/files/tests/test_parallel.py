"""Two processes do what one does: same loss, same gradients, same weights, same data."""

import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from conftest import new_state, start_process
from package import signals
from package.config import Config, ConfigError
from package.data import TrainSet, ValidationSet
from package.evaluate import evaluate
from package.loader import Loader
from package.model import ModelConfig
from package.ranks import any_rank, gather_objects, init_ranks, rank, require_equal
from package.signals import StopSignal
from package.step import train_step

# {# Slot: tolerance binds TOLERANCE. #}
CPU = torch.device("cpu")
# {% print precision.tolerance() %}
Work = Callable[..., Any]


def _rank_main(work: Work, arguments: Sequence[Any], place: Path, number: int, total: int) -> None:
    os.environ |= {"RANK": str(number), "WORLD_SIZE": str(total)}
    dist.init_process_group(
        "gloo",
        init_method=f"file://{place / 'store'}",
        rank=number,
        world_size=total,
        timeout=timedelta(seconds=20),
    )
    torch.save(work(*arguments), place / f"{number}.pt")
    dist.barrier()  # or a rank with little to do leaves while others still connect to it
    dist.destroy_process_group()


def run_ranks(total: int, place: Path, work: Work, *arguments: Any) -> list[Any]:
    """What ``work`` returns on each of ``total`` ranks, which are processes of their own."""
    place.mkdir()
    ranks = [
        start_process(_rank_main, work, arguments, place, number, total) for number in range(total)
    ]
    for process in ranks:
        process.join()
    assert [process.exitcode for process in ranks] == [0] * total
    return [torch.load(place / f"{number}.pt", weights_only=False) for number in range(total)]


def three_steps(config: Config, model_config: ModelConfig) -> dict[str, Any]:
    """Train and evaluate; returns what every number of ranks must agree on."""
    state = new_state(config, model_config, CPU)
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
    later = max(TOLERANCE, 1e-3)  # each update amplifies what was rounded before
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


def one_rank_is_stopped() -> bool:
    stop = StopSignal()
    stop._received = rank() == 1
    return stop.requested()


def test_a_signal_to_one_rank_stops_all(tmp_path: Path) -> None:
    assert run_ranks(2, tmp_path / "stop", one_rank_is_stopped) == [True, True]


def test_a_signal_that_comes_during_the_vote_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = StopSignal()

    def interrupted_vote(flag: bool) -> bool:
        os.kill(os.getpid(), signal.SIGTERM)
        return flag

    monkeypatch.setattr(signals, "any_rank", interrupted_vote)
    assert [stop.requested(), stop.requested()] == [False, True]


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


def agree() -> dict[str, Any]:
    try:
        require_equal("the step", 3 + rank())
    except RuntimeError as error:
        message = str(error)
    return {"any": any_rank(rank() == 1), "all": gather_objects(rank()), "message": message}


def test_ranks_agree_or_say_that_they_do_not(tmp_path: Path) -> None:
    for number, result in enumerate(run_ranks(2, tmp_path / "agree", agree)):
        assert (result["any"], result["all"]) == (True, [0, 1])
        assert f"the step is {3 + number} on rank {number}, from 3 to 4" in result["message"]


def test_a_batch_that_does_not_divide_is_refused(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(ConfigError, match="must be a multiple of 6"):
        init_ranks(config.train)


def test_a_rank_without_a_gpu_is_refused(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_RANK", "2")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(ConfigError, match="LOCAL_RANK = 2: must be below 2"):
        init_ranks(replace(config.train, device="cuda"))


def test_torchrun_is_asked_for(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCAL_RANK")
    with pytest.raises(ConfigError, match="LOCAL_RANK: not set; start with torchrun"):
        init_ranks(config.train)
