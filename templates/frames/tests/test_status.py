"""What is said of a run, from its files alone."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from package import train as train_module
from package.config import Config
from package.metrics import RunLog
from package.run_dir import EVENTS_NAME, read_lines
from package.signals import EXIT_STOPPED
from package.state import TrainState
from package.status import main, status_of
from package.train import train

posix = pytest.mark.skipif(os.name != "posix", reason="files are locked by POSIX calls")


def test_a_complete_run(config: Config, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(config) == 0
    capsys.readouterr()
    assert main([config.train.run_dir]) == 0
    assert ": complete\nstep             6 of 6\n" in capsys.readouterr().out
    assert main([config.train.run_dir, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["state"], said["step"], said["restarts"]) == ("complete", 6, 0)
    assert said["latest_checkpoint"] == "step-00000006"
    assert said["best_checkpoint"] in ("step-00000003", "step-00000006")
    assert said["loss"] > 0 < said["tokens_per_s"]
    assert said["seconds_since_last_line"] < 60


@posix
def test_a_stopped_run_that_continues(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("{{package}}.signals.StopSignal.requested", lambda _self: True)
        assert train(config) == EXIT_STOPPED
    assert main([config.train.run_dir]) == EXIT_STOPPED
    longer = replace(config, train=replace(config.train, steps=9, checkpoint_every=9))
    assert train(longer) == 0
    status = status_of(Path(config.train.run_dir))
    assert (status["state"], status["steps"], status["restarts"]) == ("complete", 9, 1)


def test_a_failed_run_says_why(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(train_module, "train_step", fail)
    with pytest.raises(OSError, match="disk full"):
        train(config)
    assert main([config.train.run_dir]) == 1
    status = status_of(Path(config.train.run_dir))
    assert (status["state"], status["reason"]) == ("failed", "OSError: disk full")


@posix
def test_a_run_that_trains_and_one_that_was_killed(
    config: Config, state: TrainState, device: torch.device
) -> None:
    run_dir = Path(config.train.run_dir)
    with RunLog(config, state.model, 0, device):
        assert status_of(run_dir)["state"] == "training"
        assert main([str(run_dir)]) == 0
    with (run_dir / EVENTS_NAME).open("a") as file:
        file.write('{"time": "2026-')  # cut off
    assert [event["event"] for event in read_lines(run_dir / EVENTS_NAME)] == ["start"]
    assert main([str(run_dir)]) == 1
    assert status_of(run_dir)["state"] == "killed"


def test_where_no_run_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert "no run is there" in capsys.readouterr().err


def test_it_does_without_torch() -> None:
    program = "import sys, {{package}}.status; sys.exit('torch' in sys.modules)"
    source = Path(train_module.__file__).parents[1]
    assert subprocess.run([sys.executable, "-c", program], cwd=source, check=False).returncode == 0
