"""Training goes on while a checkpoint is written, and hears of it if it was not."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import identical
from many_ranks import run_ranks
from package import train as train_module
from package.checkpoint import Checkpoints
from package.config import Config
from package.state import TrainState
from torch.distributed.checkpoint.filesystem import FileSystemWriter
from torch.distributed.tensor import DTensor

CPU = torch.device("cpu")
WRITE = FileSystemWriter.write_data


@dataclass
class Disk:
    """Every file is written when the test says so, or not at all."""

    may_write: threading.Event
    fault: str = ""


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    disk = Disk(threading.Event())

    def write_data(writer: FileSystemWriter, *arguments: Any) -> Any:
        assert disk.may_write.wait(timeout=20)
        if disk.fault:
            raise OSError(disk.fault)
        return WRITE(writer, *arguments)

    monkeypatch.setattr(FileSystemWriter, "write_data", write_data)
    yield disk
    disk.may_write.set()


def in_full(value: torch.Tensor) -> torch.Tensor:
    whole: torch.Tensor = value.full_tensor() if isinstance(value, DTensor) else value
    return whole.detach()


def save(checkpoints: Checkpoints, step: int, weights: torch.Tensor) -> None:
    checkpoints.save(step, {"model": {"w": weights}, "progress": {"step": step}}, best=False)


def latest(checkpoints: Checkpoints) -> dict[str, Any]:
    state = checkpoints.load_latest(CPU)
    assert state is not None
    return state


def test_what_is_trained_meanwhile_is_not_written(
    state: TrainState, tmp_path: Path, disk: Disk
) -> None:
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep_last=2)
    weights = state.state_dict()["model"]  # the very tensors that are trained
    expected = {name: in_full(value).clone() for name, value in weights.items()}
    checkpoints.save(0, state.state_dict(), best=False)
    with torch.no_grad():
        for weight in weights.values():
            weight.add_(1)
    state.progress.step = 7
    assert checkpoints.load_latest(CPU) is None
    disk.may_write.set()
    checkpoints.wait()
    assert identical(latest(checkpoints)["model"], expected)
    assert latest(checkpoints)["progress"]["step"] == 0


def test_the_next_one_waits_for_it_and_says_so(tmp_path: Path, disk: Disk) -> None:
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep_last=2)
    save(checkpoints, 1, torch.ones(3))
    threading.Timer(0.1, disk.may_write.set).start()
    with pytest.warns(UserWarning, match=r"step 2 waited 0\.\d s for the checkpoint before it"):
        save(checkpoints, 2, torch.ones(3))
    assert (checkpoints.directory / "step-00000001").is_dir()
    checkpoints.wait()
    assert latest(checkpoints)["progress"]["step"] == 2


@pytest.mark.filterwarnings("ignore:step")
def test_a_fault_is_raised_by_the_next_one(tmp_path: Path, disk: Disk) -> None:
    disk.may_write.set()
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep_last=2)
    save(checkpoints, 1, torch.ones(3))
    checkpoints.wait()
    disk.fault = "the disk is full"
    with pytest.warns(UserWarning, match="step-00000002 was not written: .* the disk is full"):
        save(checkpoints, 2, torch.ones(3))
        with pytest.raises(OSError, match="the disk is full"):
            save(checkpoints, 3, torch.ones(3))
    assert latest(checkpoints)["progress"]["step"] == 1
    disk.fault = ""
    save(checkpoints, 3, torch.ones(3))
    checkpoints.wait()
    assert latest(checkpoints)["progress"]["step"] == 3


@pytest.mark.filterwarnings("ignore:step")
def test_a_run_ends_with_the_fault_of_its_last_checkpoint(
    config: Config,
    disk: Disk,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    disk.may_write.set()
    disk.fault = "the disk is full"
    monkeypatch.setattr(train_module, "load_config", lambda _: config)
    assert train_module.main([]) == 1
    assert "the disk is full" in capsys.readouterr().err


def train_while_writing(directory: Path) -> float:
    """Sum over the ranks while both write: the two must not mix up what they say."""
    total = torch.ones(())
    checkpoints = Checkpoints(directory, keep_last=2)
    for step in range(1, 4):
        save(checkpoints, step, torch.ones(100_000))
        for _ in range(20):
            torch.distributed.all_reduce(total, op=torch.distributed.ReduceOp.MAX)
            total += 1
    checkpoints.wait()
    return float(total)


@pytest.mark.filterwarnings("ignore:step")
def test_the_ranks_train_while_they_write(tmp_path: Path) -> None:
    place = tmp_path / "checkpoints"
    assert run_ranks(2, tmp_path / "two", train_while_writing, place) == [61.0, 61.0]
    assert latest(Checkpoints(place, keep_last=2))["progress"]["step"] == 3


def test_one_checkpoint_alone_is_not_kept(config: Config) -> None:
    (problem,) = replace(config.train, keep_last=1).problems()
    assert problem.startswith("train.keep_last = 1: must be at least 2")
