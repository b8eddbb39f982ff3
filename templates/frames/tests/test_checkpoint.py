"""A checkpoint is whole or passed over, and the good ones are never lost."""

import itertools
import os
import signal
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import start_process
from package.checkpoint import Checkpoints
from package.config import Config, ConfigError
from package.durable import MANIFEST

# {# Slots: weights_file binds WEIGHTS, the file of a checkpoint that has the weights; saved reads
#    checkpoints. #}
CPU = torch.device("cpu")
SHAPE = {"dim": 4}
# {% print checkpoint.weights_file() %}


@pytest.fixture
def checkpoints(config: Config) -> Checkpoints:
    return Checkpoints(Path(config.train.run_dir) / "checkpoints", keep_last=2)


def save(checkpoints: Checkpoints, step: int, best: bool = False, **progress: int) -> None:
    weights = {"w": torch.full((4,), float(step))}
    state = {"model": weights, "hyperparameters": SHAPE, "progress": {"step": step, **progress}}
    checkpoints.save(step, state, best)
    # {% print each.saved() %}


def latest(checkpoints: Checkpoints) -> int | None:
    state = checkpoints.load_latest(CPU)
    return None if state is None else state["progress"]["step"]


def test_the_latest_comes_back_as_it_was(checkpoints: Checkpoints) -> None:
    assert latest(checkpoints) is None
    save(checkpoints, 9)
    save(checkpoints, 10)
    state = checkpoints.load_latest(CPU)
    assert state is not None
    assert state["progress"] == {"step": 10}
    assert torch.equal(state["model"]["w"], torch.full((4,), 10.0))


def test_the_best_and_the_last_are_kept(checkpoints: Checkpoints) -> None:
    for step in (1, 2, 3, 4):
        save(checkpoints, step, best=step == 1)
    names = sorted(path.name for path in checkpoints.directory.iterdir())
    steps = ["step-00000001", "step-00000003", "step-00000004"]
    assert names == ["best", "latest", *steps]
    assert checkpoints.load_model("best", SHAPE, CPU)["w"][0] == 1
    assert checkpoints.load_model("latest", SHAPE, CPU)["w"][0] == 4


def test_one_that_is_there_already_can_become_the_best(checkpoints: Checkpoints) -> None:
    save(checkpoints, 1, best=True)
    save(checkpoints, 2)  # by a stop, before the step was evaluated
    save(checkpoints, 2, best=True)
    assert checkpoints.load_model("best", SHAPE, CPU)["w"][0] == 2


def test_one_that_was_evaluated_since_is_written_beside_it(checkpoints: Checkpoints) -> None:
    save(checkpoints, 1)
    for evaluations in (0, 0, 1, 2, 2):
        save(checkpoints, 2, evaluations=evaluations)
        state = checkpoints.load_latest(CPU)
        assert state is not None
        assert state["progress"] == {"step": 2, "evaluations": evaluations}
    steps = sorted(path.name for path in checkpoints.directory.glob("step-*"))
    assert steps == ["step-00000002-again", "step-00000002-again-again"]
    save(checkpoints, 3)
    assert latest(checkpoints) == 3


@pytest.mark.parametrize(
    "damage", ["cut", "flip", "manifest lost", "manifest broken", "manifest empty", "file lost"]
)
def test_a_broken_one_is_passed_over_with_a_warning(checkpoints: Checkpoints, damage: str) -> None:
    save(checkpoints, 1)
    save(checkpoints, 2)
    broken = checkpoints.directory / "step-00000002"
    content = (broken / WEIGHTS).read_bytes()
    if damage == "cut":
        (broken / WEIGHTS).write_bytes(content[:-1])
    elif damage == "flip":
        (broken / WEIGHTS).write_bytes(bytes([content[0] ^ 1]) + content[1:])
    elif damage == "manifest lost":
        (broken / MANIFEST).unlink()
    elif damage == "manifest broken":
        (broken / MANIFEST).write_text("[]", encoding="utf-8")
    elif damage == "manifest empty":
        (broken / MANIFEST).write_text("{}", encoding="utf-8")
    else:
        (broken / WEIGHTS).unlink()
    with pytest.warns(UserWarning, match="step-00000002"):
        assert latest(checkpoints) == 1


def test_a_broken_one_does_not_push_out_a_good_one(checkpoints: Checkpoints) -> None:
    for step in (1, 5, 6):
        save(checkpoints, step)
    for step in (5, 6):
        (checkpoints.directory / f"step-0000000{step}" / MANIFEST).unlink()
    save(checkpoints, 2)
    with pytest.warns(UserWarning, match="not a whole checkpoint"):
        assert latest(checkpoints) == 2


def _die_while_saving(directory: Path, syncs: int) -> None:
    """Save step 2, and be killed in place of the given one of the writes being made durable."""
    real, done = os.fsync, 0

    def fsync(fd: Any) -> None:
        nonlocal done
        if done == syncs:
            os.kill(os.getpid(), signal.SIGKILL)
        done += 1
        real(fd)

    os.fsync = fsync
    save(Checkpoints(directory, keep_last=2), 2, best=True)


@pytest.mark.skipif(os.name != "posix", reason="processes are killed by POSIX signals")
def test_killed_while_saving(config: Config) -> None:
    for syncs in itertools.count():
        checkpoints = Checkpoints(Path(config.train.run_dir) / str(syncs), keep_last=2)
        save(checkpoints, 1, best=True)
        child = start_process(_die_while_saving, checkpoints.directory, syncs)
        child.join()
        renamed = (checkpoints.directory / "step-00000002").exists()
        assert latest(checkpoints) == (2 if renamed else 1)
        checkpoints.load_model("best", SHAPE, CPU)
        save(checkpoints, 3)
        assert latest(checkpoints) == 3
        assert not list(checkpoints.directory.glob("step-*.tmp"))
        if child.exitcode == 0:
            break
        assert child.exitcode == -signal.SIGKILL
    # Two files, the manifest, the directory and that around it, then twice a pointer and that.
    assert syncs >= 9


def _run_out_of_space(directory: Path) -> None:
    resource = pytest.importorskip("resource")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    with pytest.raises(OSError):
        save(Checkpoints(directory, keep_last=2), 2)
    os._exit(0)


@pytest.mark.skipif(os.name != "posix", reason="file sizes are limited by POSIX calls")
def test_no_space_left(checkpoints: Checkpoints) -> None:
    save(checkpoints, 1)
    child = start_process(_run_out_of_space, checkpoints.directory)
    child.join()
    assert child.exitcode == 0
    assert latest(checkpoints) == 1


def test_a_missing_checkpoint_is_named(checkpoints: Checkpoints) -> None:
    with pytest.raises(ConfigError, match="no best checkpoint yet"):
        checkpoints.load_model("best", SHAPE, CPU)


def test_a_model_of_another_shape_is_refused(checkpoints: Checkpoints) -> None:
    save(checkpoints, 1, best=True)
    with pytest.raises(ConfigError, match="dim is 8 here and 4 there"):
        checkpoints.load_model("best", {"dim": 8, "depth": 2}, CPU)


def test_a_pointer_that_names_nothing_is_refused(checkpoints: Checkpoints) -> None:
    save(checkpoints, 1, best=True)
    (checkpoints.directory / "best").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match="names no checkpoint"):
        checkpoints.load_model("best", SHAPE, CPU)
