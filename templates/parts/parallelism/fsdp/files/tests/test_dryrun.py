"""What is worked out for many ranks is what two real ones take."""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import new_state, start_process
from many_ranks import run_ranks
from package import dryrun
from package.config import Config, ConfigError
from package.data import TrainSet
from package.dryrun import dry_run
from package.footprint import Traffic, counted, fused_norms
from package.mesh import n_data_ranks
from package.model import ModelConfig
from package.step import train_step

# {# Slots: shards binds n_shards; even reads state. #}
CPU = torch.device("cpu")
FLOAT32 = 4  # bytes
LOCAL = 2  # ranks of a machine, as in run_ranks


def _write_report(config: Config, model_config: ModelConfig, world: int, file: Path) -> None:
    report = dry_run(config, model_config, world, LOCAL)
    file.write_text(json.dumps(asdict(report)), encoding="utf-8")


def report_of(
    config: Config, model_config: ModelConfig, world: int, place: Path
) -> Mapping[str, Any]:
    """What a process of its own reports, since it pretends to be one of many ranks."""
    process = start_process(_write_report, config, model_config, world, place / "report.json")
    process.join()
    assert process.exitcode == 0
    report: Mapping[str, Any] = json.loads((place / "report.json").read_text(encoding="utf-8"))
    return report


def measured(config: Config, model_config: ModelConfig) -> dict[str, Any]:
    """The second of two real steps, seen by the same counter."""
    values = config.train
    eager = torch.compiler.set_stance("force_eager")  # what is compiled cannot be looked into
    with eager, fused_norms(), counted() as footprint:
        state = new_state(config, model_config, CPU)
        # {% print each.even() %}
        footprint.watch([*state.model.parameters(), *state.model.buffers()])
        for _ in range(2):
            footprint.restart()
            batch = TrainSet(config.data, model_config, seed=0).samples(0, values.micro_batch_size)
            n_batches = values.batch_size // (values.micro_batch_size * n_data_ranks())
            train_step(state, [batch] * n_batches, values.max_grad_norm)
    return {"peak": footprint.peak, "traffic": {k: asdict(v) for k, v in footprint.traffic.items()}}


@pytest.fixture
def two_ranks(config: Config) -> Config:
    return replace(config, train=replace(config.train, batch_size=32, micro_batch_size=16))


def test_two_real_ranks_take_what_was_worked_out(
    two_ranks: Config, model_config: ModelConfig, tmp_path: Path
) -> None:
    report = report_of(two_ranks, model_config, 2, tmp_path)
    real = run_ranks(2, tmp_path / "real", measured, two_ranks, model_config)[0]
    assert report["traffic"] == real["traffic"]
    # Where ranks are real, the gradients of a layer may be freed a little sooner or later.
    layer = FLOAT32 * report["total_parameters"] / model_config.n_layers
    assert report["peak"] == pytest.approx(real["peak"], abs=0.05 * real["peak"] + layer)


def test_state_is_divided_by_the_ranks(
    config: Config, model_config: ModelConfig, tmp_path: Path
) -> None:
    train = replace(config.train, batch_size=8, micro_batch_size=1)
    report = report_of(replace(config, train=train), model_config, 8, tmp_path)
    # {% print parallelism.shards() %}
    share = FLOAT32 * report["total_parameters"] / n_shards
    # Rows do not always divide over the ranks: the first gets the larger shard.
    assert share <= report["parameters"] < 1.3 * share
    assert report["gradients"] == report["parameters"]
    assert report["optimizer"] > 0


def test_a_batch_that_does_not_divide_is_refused(config: Config, model_config: ModelConfig) -> None:
    with pytest.raises(ConfigError, match="train.batch_size = .* on each of"):
        dry_run(config, model_config, 6, LOCAL)


def test_the_command_prints_what_it_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    report = dryrun.Report(2, 1, 10, 20, 20, 40, 0, 100, {"allreduce": Traffic(2, 2**30)})
    monkeypatch.setattr(dryrun, "dry_run", lambda *_: report)
    monkeypatch.setattr(dryrun, "load_config", lambda _: None)
    assert dryrun.main(["--world", "2"]) == 0
    assert "1.000 GiB  allreduce, 2 calls a step" in capsys.readouterr().out
    assert dryrun.main(["--world", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["peak"] == 100
