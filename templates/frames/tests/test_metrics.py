"""The log: one line of valid JSON per entry, whole after a crash, right after a resume."""

import json
import math
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from package import metrics
from package.config import Config, ConfigError
from package.metrics import Entry, RunLog, read_log
from package.model import Model
from package.plot import plot_losses
from package.state import TrainState

STEP = {"loss": 2.5, "grad_norm": 0.5, "lr": 1e-3}


@pytest.fixture
def model(state: TrainState) -> Model:
    return state.model


def run_dir(config: Config) -> Path:
    """Where the run keeps its log."""
    return Path(config.train.run_dir)


def test_entries_come_back(config: Config, model: Model, device: torch.device) -> None:
    with RunLog(config, model, 0, device) as log:
        log.start_step()
        log.end_step(1)
        log.step(1, STEP, wait_seconds=0.0)
        log.validation(1, {"val_loss": 2.0})
    steps, validation = read_log(run_dir(config))
    assert steps.step == 1
    assert steps.metrics["loss"] == 2.5
    assert validation == Entry(1, {"val_loss": 2.0})


def test_every_line_is_json_without_nan(config: Config, model: Model, device: torch.device) -> None:
    def refuse(name: str) -> None:
        raise ValueError(name)

    with RunLog(config, model, 0, device) as log:
        log.validation(1, {"val_loss": math.nan, "a": math.inf, "b": -math.inf})
    line = (run_dir(config) / "log.jsonl").read_text()
    assert json.loads(line, parse_constant=refuse)["a"] == "inf"
    found = read_log(run_dir(config))[0].metrics
    assert math.isnan(found["val_loss"] or 0.0)
    assert (found["a"], found["b"]) == (math.inf, -math.inf)


def test_a_resumed_run_drops_what_it_will_repeat(
    config: Config, model: Model, device: torch.device
) -> None:
    with RunLog(config, model, 0, device) as log:
        for step in range(1, 5):
            log.validation(step, {"val_loss": float(step)})
    path = run_dir(config) / "log.jsonl"
    with path.open("a") as file:
        file.write('{"step": 2, "val_')  # the process was killed while writing
    with RunLog(config, model, 2, device) as log:
        log.validation(3, {"val_loss": 30.0})
    assert [(step, found["val_loss"]) for step, found in read_log(run_dir(config))] == [
        (1, 1.0),
        (2, 2.0),
        (3, 30.0),
    ]


def test_a_line_that_is_no_entry_does_not_stop_a_resume(
    config: Config, model: Model, device: torch.device
) -> None:
    with RunLog(config, model, 0, device) as log:
        log.validation(1, {"val_loss": 1.0})
    with (run_dir(config) / "log.jsonl").open("ab") as file:
        file.write(bytes(512) + b"\n" + b"\xff\n[1]\n")  # as a power failure can leave it
    with (
        pytest.warns(UserWarning, match=r"line [234] is no entry"),
        RunLog(config, model, 1, device) as log,
    ):
        log.validation(2, {"val_loss": 2.0})
    assert [entry.step for entry in read_log(run_dir(config))] == [1, 2]


@pytest.mark.skipif(os.name != "posix", reason="files are locked by POSIX calls")
def test_two_runs_do_not_share_a_directory(
    config: Config, model: Model, device: torch.device
) -> None:
    with RunLog(config, model, 0, device) as log:
        with pytest.raises(ConfigError, match="another process trains there"):
            RunLog(config, model, 0, device)
        log.validation(1, {"val_loss": 1.0})
    assert [entry.step for entry in read_log(run_dir(config))] == [1]


def test_a_directory_that_cannot_be_made_is_named(
    config: Config, model: Model, device: torch.device
) -> None:
    run_dir(config).write_text("a file")
    with pytest.raises(ConfigError, match="train.run_dir = .*File exists"):
        RunLog(config, model, 0, device)


def test_an_endless_run_has_a_time_left(config: Config, model: Model, device: torch.device) -> None:
    endless = replace(config, train=replace(config.train, steps=2**63))
    with RunLog(endless, model, 0, device) as log:
        log.validation(1, {"val_loss": 1.0})


def test_speed_counts_the_time_of_steps_alone(
    config: Config, model: Model, device: torch.device, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([10.0, 12.0, 20.0, 22.0, 22.0])  # the last one is for the remaining time
    config = replace(config, train=replace(config.train, log_every=2))
    with RunLog(config, model, 0, device) as log:
        monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
        for step in (1, 2):
            log.start_step()
            if log.end_step(step):
                log.step(step, STEP, wait_seconds=0.5 * step)
    (entry,) = read_log(run_dir(config))
    tokens = 2 * config.train.batch_size * model.config.tokens_per_sample
    assert entry.metrics["tokens_per_s"] == pytest.approx(tokens / 4)
    assert entry.metrics["data_wait"] == pytest.approx(1.0 / 4)


def test_mfu_is_a_share_of_the_known_peak(
    config: Config, model: Model, device: torch.device, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RunLog(config, model, 0, device) as log:
        log.start_step()
        log.end_step(1)
        log.step(1, STEP, wait_seconds=0.0)
    monkeypatch.setattr(metrics, "peak_flops", lambda _device: 1e9)
    with RunLog(config, model, 1, device) as log:
        log.start_step()
        log.end_step(2)
        log.step(2, STEP, wait_seconds=0.0)
        assert log.describe_mfu().startswith("MFU: share of")
    unknown, known = (entry.metrics for entry in read_log(run_dir(config)))
    assert unknown["mfu"] is None
    assert known["tokens_per_s"] is not None
    assert known["mfu"] == pytest.approx(known["tokens_per_s"] * model.flops_per_token() / 1e9)


def test_a_line_of_the_console_has_columns(
    config: Config, model: Model, device: torch.device, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunLog(config, model, 0, device) as log:
        log.start_step()
        log.end_step(1)
        log.step(1, STEP, wait_seconds=0.0)
        log.validation(1, {"val_loss": math.nan})
    line, validation = capsys.readouterr().out.splitlines()
    for text in ("step 1/6", "loss  2.5000", "lr 1.00e-03", "tokens/s", "mfu n/a", "eta 0:00:0"):
        assert text in line
    assert "val loss     nan" in validation


def test_the_plot_is_beside_the_log(config: Config, model: Model, device: torch.device) -> None:
    with RunLog(config, model, 0, device) as log:
        assert plot_losses(run_dir(config)) is None  # no loss yet
        log.validation(0, {"val_loss": 3.0})
        log.start_step()
        log.end_step(1)
        log.step(1, STEP, wait_seconds=0.0)
        log.validation(1, {"val_loss": math.nan})
    picture = plot_losses(run_dir(config))
    assert picture == run_dir(config) / "loss.png"
    assert picture is not None
    assert picture.read_bytes().startswith(b"\x89PNG")
