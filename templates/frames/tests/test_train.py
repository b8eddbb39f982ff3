"""A run that is stopped and continued ends where the uninterrupted one ends, bit for bit."""

import copy
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import identical, new_state
from package import train as train_module
from package.checkpoint import Checkpoints
from package.config import Config, ConfigError
from package.metrics import read_log
from package.model import ModelConfig
from package.signals import EXIT_STOPPED
from package.state import TrainState
from package.step import StepResult, train_step
from package.train import train

CPU = torch.device("cpu")


def final_state(run_dir: str) -> dict[str, Any]:
    state = Checkpoints(Path(run_dir) / "checkpoints", keep_last=1).load_latest(CPU)
    assert state is not None
    return state


def curves(run_dir: str) -> list[tuple[float | None, ...]]:
    """Step, loss, validation loss and learning rate of every line of the log."""
    return [
        (entry.step, *(entry.metrics.get(name) for name in ("loss", "val_loss", "lr")))
        for entry in read_log(Path(run_dir))
    ]


def send_during(
    monkeypatch: pytest.MonkeyPatch, function: str, call: int, signal_name: str
) -> None:
    """Make the given call of a function of the loop receive a signal while it runs."""
    real, calls = getattr(train_module, function), 0

    def interrupted(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            os.kill(os.getpid(), signal.Signals[signal_name])
        return real(*arguments)

    monkeypatch.setattr(train_module, function, interrupted)


def test_a_run_is_logged_drawn_and_saved(
    config: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(config) == 0
    run_dir = Path(config.train.run_dir)
    steps = [entry.step for entry in read_log(run_dir)]
    assert steps == [0, 1, 2, 3, 3, 4, 5, 6, 6]  # evaluated at 0, 3 and 6
    assert (run_dir / "loss.png").stat().st_size > 0
    assert final_state(config.train.run_dir)["progress"]["step"] == 6
    assert train(config) == 0  # complete: nothing more to do
    assert "is complete after step 6" in capsys.readouterr().out
    assert [entry.step for entry in read_log(run_dir)] == steps
    shorter = replace(config, train=replace(config.train, steps=5))
    assert train(shorter) == 0  # it has gone further already


def test_the_best_checkpoint_is_the_best_of_those_saved(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    often = replace(config, train=replace(config.train, eval_every=1))
    losses = iter([9.0, 1.0, 9.0, 5.0, 9.0, 9.0, 6.0])  # saved after three and six steps
    monkeypatch.setattr(train_module, "evaluate", lambda *_: {"val_loss": next(losses)})
    assert train(often) == 0
    best = Path(config.train.run_dir) / "checkpoints" / "best"
    assert best.read_text(encoding="utf-8") == "step-00000003\n"


@pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")
@pytest.mark.parametrize(
    "interruption",
    [("train_step", 2, "SIGTERM"), ("train_step", 5, "SIGUSR1"), ("evaluate", 2, "SIGTERM")],
)
def test_stopped_and_continued_equals_uninterrupted(
    config: Config,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    interruption: tuple[str, int, str],
) -> None:
    assert train(config) == 0
    again = replace(config, train=replace(config.train, run_dir=str(tmp_path / "again")))
    with monkeypatch.context() as patch:
        send_during(patch, *interruption)
        assert train(again) == EXIT_STOPPED
    assert train(again) == 0
    expected, found = final_state(config.train.run_dir), final_state(again.train.run_dir)
    assert identical(found, expected)
    assert curves(again.train.run_dir) == curves(config.train.run_dir)


@pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")
def test_the_last_evaluation_is_not_repeated_after_a_stop_in_it(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        send_during(patch, "evaluate", 3, "SIGTERM")
        assert train(config) == EXIT_STOPPED
    assert train(config) == 0
    entries = len(read_log(Path(config.train.run_dir)))
    assert train(config) == 0
    assert len(read_log(Path(config.train.run_dir))) == entries


def test_a_checkpoint_of_other_data_is_refused(config: Config) -> None:
    assert train(config) == 0
    with pytest.raises(ConfigError, match=r"seed 1; here it is .* seed 2; set train\.run_dir"):
        train(replace(config, train=replace(config.train, seed=2)))


def test_what_has_changed_since_the_checkpoint_is_said(
    config: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(config) == 0
    assert "which was" not in capsys.readouterr().out
    again = replace(config.train, steps=8, batch_size=8, micro_batch_size=4)
    assert train(replace(config, train=again)) == 0
    said = capsys.readouterr().out
    for change in ("steps = 8, which was 6", "batch_size = 8, which was 4"):
        assert said.count(f"\ntrain.{change} until here\n") == 1
    assert train(replace(config, train=again)) == 0
    assert "which was" not in capsys.readouterr().out


def test_a_continued_run_has_its_own_learning_rate(
    config: Config, model_config: ModelConfig, state: TrainState, device: torch.device
) -> None:
    rates = [group["base_lr"] for group in state.optimizer.param_groups]
    saved = copy.deepcopy(state.state_dict())
    doubled = replace(config.optimizer, learning_rate=2 * config.optimizer.learning_rate)
    continued = new_state(replace(config, optimizer=doubled), model_config, device)
    own = [group["base_lr"] for group in continued.optimizer.param_groups]
    continued.load_state_dict(saved)
    assert [group["base_lr"] for group in continued.optimizer.param_groups] == own
    assert own != rates


def test_a_checkpoint_of_another_model_is_refused(
    config: Config, model_config: ModelConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert train(config) == 0
    deeper = replace(model_config, n_layers=3)
    monkeypatch.setattr(train_module, "ModelConfig", lambda: deeper)
    with pytest.raises(ConfigError, match="n_layers is 3 here and 2 there"):
        train(config)


@pytest.mark.parametrize(
    ("fault", "code"),
    [(OSError("disk full"), 1), (FloatingPointError("loss nan"), 1), (KeyboardInterrupt(), 130)],
)
def test_a_run_that_fails_says_why_in_one_line(
    config: Config,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fault: BaseException,
    code: int,
) -> None:
    def fail(*_: Any) -> None:
        raise fault

    monkeypatch.setattr(train_module, "load_config", lambda _: config)
    monkeypatch.setattr(train_module, "train_step", fail)
    assert train_module.main([]) == code
    said = capsys.readouterr().err
    assert str(fault) in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(("budget", "steps"), [(0, 1), (1, 6)])
def test_a_bad_step_stops_the_run_unless_it_may_be_skipped(
    config: Config, monkeypatch: pytest.MonkeyPatch, budget: int, steps: int
) -> None:
    allowed = replace(config, train=replace(config.train, max_skipped_steps=budget))
    calls = 0

    def second_is_bad(*arguments: Any) -> StepResult:
        nonlocal calls
        calls += 1
        result = train_step(*arguments)
        return result._replace(finite=False) if calls == 2 else result

    monkeypatch.setattr(train_module, "train_step", second_is_bad)
    if budget:
        assert train(allowed) == 0
        progress = final_state(config.train.run_dir)["progress"]
        assert (progress["step"], progress["samples_seen"], progress["skipped_steps"]) == (6, 28, 1)
    else:
        with pytest.raises(FloatingPointError, match="samples 4 to 7"):
            train(allowed)
    assert read_log(Path(config.train.run_dir))[-1].step == steps
