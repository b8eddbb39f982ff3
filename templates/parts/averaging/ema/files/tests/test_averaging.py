"""The average against its formula in float64, in whole runs, and what it is used for."""

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import identical
from package import train as train_module
from package.averaging import update_average
from package.checkpoint import Checkpoints
from package.config import Config
from package.evaluate import evaluate
from package.model import ModelConfig, build_model
from package.state import TrainState
from package.step import StepResult, train_step
from package.train import train
from torch import nn

# {# Slot: copied reads weights, returns. #}
CPU = torch.device("cpu")
Weights = dict[str, torch.Tensor]


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(3))
        self.register_buffer("count", torch.zeros(1, dtype=torch.int64))


def copied(weights: Weights) -> Weights:
    """The values that the weights have now."""
    # {% print parallelism.copied() %}


def run_and_watch(config: Config, monkeypatch: pytest.MonkeyPatch) -> list[Weights]:
    """The weights after each step of a run that counted, copied."""
    seen: list[Weights] = []

    def watched(state: TrainState, *arguments: Any) -> StepResult:
        result = train_step(state, *arguments)
        if result.finite:
            seen.append(copied(state.model.state_dict()))
        return result

    with monkeypatch.context() as patch:
        patch.setattr(train_module, "train_step", watched)
        assert train(config) == 0
    return seen


def saved(config: Config) -> dict[str, Any]:
    state = Checkpoints(Path(config.train.run_dir) / "checkpoints", keep_last=1).load_latest(CPU)
    assert state is not None
    return state


def with_values(config: Config, **values: Any) -> Config:
    return replace(config, train=replace(config.train, **values))


@pytest.mark.parametrize("decay", [0.0, 0.5, 0.999])
def test_the_average_is_that_of_the_formula(decay: float) -> None:
    average, model = Model().requires_grad_(False), Model()
    generator = torch.Generator().manual_seed(0)
    expected = torch.zeros(3, dtype=torch.float64)
    for step in range(1, 40):
        drawn = torch.randn(3, generator=generator)
        with torch.no_grad():
            model.weight.copy_(drawn)
            model.get_buffer("count").fill_(step)
        update_average(average, model, step, decay)
        stays = min(decay, (1 + step) / (10 + step))
        expected = stays * expected + (1 - stays) * drawn.double()
        assert average.get_buffer("count").item() == step
    assert average.weight.dtype == torch.float32
    torch.testing.assert_close(average.weight.double(), expected, atol=1e-6, rtol=1e-6)


def test_a_run_averages_once_a_step_and_saves_both(
    config: Config, model_config: ModelConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert config.train.batch_size > config.train.micro_batch_size  # which does not count twice
    start = build_model(model_config, CPU, config.train.seed)
    expected = {name: weight.detach().double() for name, weight in start.named_parameters()}
    steps = run_and_watch(config, monkeypatch)
    assert len(steps) == config.train.steps
    for step, weights in enumerate(steps, start=1):
        stays = (1 + step) / (10 + step)
        expected = {n: stays * old + (1 - stays) * weights[n] for n, old in expected.items()}
    found = saved(config)
    for name, average in expected.items():
        torch.testing.assert_close(found["model"][name].double(), average, atol=1e-6, rtol=1e-5)
        assert torch.equal(found["trained_weights"][name], steps[-1][name])


def test_a_skipped_step_leaves_the_average_alone(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0
    updates: list[int] = []

    def second_is_bad(*arguments: Any) -> StepResult:
        nonlocal calls
        calls += 1
        result = train_step(*arguments)
        return result._replace(finite=False) if calls == 2 else result

    def noted(_average: nn.Module, _model: nn.Module, step: int, _decay: float) -> None:
        updates.append(step)

    monkeypatch.setattr(train_module, "train_step", second_is_bad)
    monkeypatch.setattr(train_module, "update_average", noted)
    assert train(with_values(config, max_skipped_steps=1)) == 0
    assert (calls, updates) == (7, [1, 2, 3, 4, 5, 6])


def test_the_average_is_what_is_evaluated_loaded_and_spoken_of(
    config: Config, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluated: list[Weights] = []

    def watched(model: nn.Module, *arguments: Any) -> dict[str, float] | None:
        evaluated.append(copied(model.state_dict()))
        return evaluate(model, *arguments)

    monkeypatch.setattr(train_module, "evaluate", watched)
    assert train(config) == 0
    assert f"the averaged weights, decay {config.train.ema_decay}" in capsys.readouterr().out
    found = saved(config)
    assert not identical(found["model"], found["trained_weights"])
    assert identical(evaluated[-1], found["model"])
    checkpoints = Checkpoints(Path(config.train.run_dir) / "checkpoints", keep_last=1)
    shape = found["hyperparameters"]
    assert identical(checkpoints.load_model("latest", shape, CPU), found["model"])


@pytest.mark.parametrize("decay", [-0.1, 1.0])
def test_a_decay_out_of_range_is_refused(config: Config, decay: float) -> None:
    (problem,) = with_values(config, ema_decay=decay).train.problems()
    assert problem.startswith(f"train.ema_decay = {decay}: must be in [0, 1)")


def test_a_checkpoint_without_an_average_begins_one(state: TrainState) -> None:
    saved_state = copy.deepcopy(state.state_dict())
    del saved_state["trained_weights"]
    with torch.no_grad():
        for weight in state.model.parameters():
            weight.add_(1)
    state.load_state_dict(saved_state)
    for model in (state.model, state.average):
        assert identical(model.state_dict(), saved_state["model"])
