"""A run ends when its validation loss no longer falls, at the same step however it was stopped."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import identical
from package import train as train_module
from package.checkpoint import Checkpoints
from package.config import Config
from package.metrics import read_log
from package.signals import EXIT_STOPPED, StopSignal
from package.state import Progress
from package.train import train

# At steps 0, 1, 2, ...: with a patience of 2, the fall at step 3 comes just in time.
LOSSES = [9.0, 5.0, 5.0, 4.0, 4.5, 4.2, 1.0]


@pytest.fixture
def often(config: Config, monkeypatch: pytest.MonkeyPatch) -> Config:
    """Evaluated and saved at every step, with those losses."""
    step_of: Iterator[float] = iter(LOSSES)
    monkeypatch.setattr(train_module, "evaluate", lambda *_: {"val_loss": next(step_of)})
    return with_values(config, eval_every=1, checkpoint_every=1, patience=2, min_delta=0.0)


def with_values(config: Config, **values: Any) -> Config:
    return replace(config, train=replace(config.train, **values))


def final_state(config: Config) -> dict[str, Any]:
    checkpoints = Checkpoints(Path(config.train.run_dir) / "checkpoints", keep_last=1)
    state = checkpoints.load_latest(torch.device("cpu"))
    assert state is not None
    return state


@pytest.mark.parametrize(
    ("losses", "min_delta", "expected"),
    [
        ([5.0, 4.0, 3.0], 0.0, [0, 0, 0]),
        ([5.0, 5.0, 4.0, 4.5], 0.0, [0, 1, 0, 1]),
        ([5.0, 4.5, 3.9, 3.5], 1.0, [0, 1, 0, 1]),  # small falls add up
        ([5.0, math.nan, math.inf, 4.0], 0.0, [0, 1, 2, 0]),
    ],
)
def test_a_gain_is_a_fall_by_more_than_min_delta(
    losses: list[float], min_delta: float, expected: list[int]
) -> None:
    progress = Progress()
    found = []
    for loss in losses:
        progress.record_evaluation(loss)
        said = progress.record_gain(2, min_delta)
        assert said.endswith("; the run ends") is (progress.evaluations_without_gain >= 2)
        found.append(progress.evaluations_without_gain)
    assert found == expected


def test_it_ends_after_so_many_evaluations_and_says_why(
    often: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(often) == 0
    run_dir = Path(often.train.run_dir)
    assert read_log(run_dir)[-1].step == 5
    said = "2 of 2 evaluations without gain on a validation loss of 4.0000; the run ends"
    assert said in capsys.readouterr().out
    best = run_dir / "checkpoints" / "best"
    assert best.read_text(encoding="utf-8") == "step-00000003\n"
    entries = len(read_log(run_dir))
    assert train(often) == 0  # there is nothing more to do
    assert "ended early, after step 5; raise train.patience" in capsys.readouterr().out
    assert len(read_log(run_dir)) == entries
    assert train(with_values(often, patience=3)) == 0  # which lets it go on
    assert read_log(run_dir)[-1].step == 6


def test_it_ends_at_the_same_step_when_it_is_stopped_between(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []
    for name, stop_at in (("whole", None), ("stopped", 4)):
        losses = iter(LOSSES)
        monkeypatch.setattr(train_module, "evaluate", lambda *_, it=losses: {"val_loss": next(it)})
        values = {"eval_every": 1, "checkpoint_every": 1, "patience": 2, "min_delta": 0.0}
        run = with_values(config, run_dir=str(tmp_path / name), **values)
        if stop_at is not None:
            with monkeypatch.context() as patch:
                asked = iter([False] * stop_at + [True])
                patch.setattr(StopSignal, "requested", lambda _, it=asked: next(it))
                assert train(run) == EXIT_STOPPED
        assert train(run) == 0
        runs.append(final_state(run))
    assert runs[0]["progress"]["step"] == 5
    assert identical(*runs)


@pytest.mark.parametrize(("name", "value"), [("patience", 0), ("min_delta", -0.1)])
def test_values_out_of_range_are_refused(config: Config, name: str, value: float) -> None:
    (problem,) = with_values(config, **{name: value}).train.problems()
    assert problem.startswith(f"train.{name} = {value}: must be at least")
