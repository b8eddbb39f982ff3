"""Checkpoints in shards: read under any plan, and never lost, whoever dies at whatever moment."""

import copy
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from forked_plans import CPU, Plan, in_full, run_ranks, start_ranks, write_plan
from runs import identical
from torch.distributed.checkpoint.filesystem import FileSystemReader
from torch.distributed.checkpoint.metadata import TensorStorageMetadata

from scaffold.catalogue import Catalogue
from scaffold.design import Value

pytestmark = pytest.mark.slow

DESIGN: Mapping[str, Value] = {
    "checkpoint": "sharded",
    "optimizer": "muon",
    "averaging": "ema",
}
# Who reads what whom wrote: plans and numbers of ranks. All 30 pairs were tried once.
READERS: Mapping[tuple[str, int], tuple[tuple[str, int], ...]] = {
    ("fsdp", 2): (("ddp", 1), ("fsdp", 4), ("hsdp", 4)),
    ("fsdp", 4): (("fsdp", 2), ("ddp", 2)),
    ("ddp", 1): (("fsdp", 2), ("ddp", 2)),
    ("ddp", 2): (("ddp", 1), ("fsdp", 4)),
    ("hsdp", 4): (("ddp", 2), ("fsdp", 1)),
}
# Kinds of things done to files, as Python tells of them (docs.python.org/3/library/audit_events).
FILE_EVENTS = frozenset({"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree"})


@pytest.fixture(scope="module")
def plans(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("plans")
    path = list(sys.path)
    made = {
        plan: write_plan(catalogue, folder, f"{plan}-plan", {**DESIGN, "parallelism": plan})
        for plan in ("ddp", "fsdp", "hsdp")
    }
    made["background"] = write_plan(
        catalogue,
        folder,
        "ddp-in-background",
        {**DESIGN, "parallelism": "ddp", "checkpoint": "sharded-async"},
    )
    yield made
    sys.path[:] = path


def step_and_save(plan: Plan, n_ranks: int, directory: Path) -> Any:
    """Two steps, as many samples, and a checkpoint; returns the state."""
    state = plan.new_state(n_ranks)
    for _ in range(2):
        plan.take_a_step(state, n_ranks)
    state.progress.step, state.progress.samples_seen = 2, 16
    with torch.no_grad():  # so that the average is not the model
        for average in state.average.parameters():
            average.mul_(0.5)
    plan.checkpoints(directory).save(2, state.state_dict(), best=True)
    return _without_generators(in_full(state.state_dict()))


def load_and_step(plan: Plan, n_ranks: int, directory: Path) -> Any:
    """The state that is continued with, and whether a further step works."""
    state = plan.new_state(n_ranks)
    saved = plan.checkpoints(directory).load_latest(CPU, state.model.state_dict())
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="saved by")
        state.load_state_dict(saved)
    loaded = copy.deepcopy(_without_generators(in_full(state.state_dict())))
    plan.take_a_step(state, n_ranks)
    return loaded


def _without_generators(state: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in state.items() if name != "rng"}


@pytest.mark.parametrize("writer", READERS, ids=lambda writer: f"{writer[0]}-{writer[1]}")
def test_every_plan_reads_what_another_wrote(
    plans: dict[str, Plan], tmp_path: Path, writer: tuple[str, int]
) -> None:
    """Exact in weights, averages, moments and position, at any number of ranks."""
    plan, total = writer
    directory = tmp_path / "checkpoints"
    written = run_ranks(total, tmp_path / "write", step_and_save, plans[plan], total, directory)
    assert all(identical(one, written[0]) for one in written)
    for other, n_ranks in READERS[writer]:
        place = tmp_path / f"{other}-{n_ranks}"
        for loaded in run_ranks(n_ranks, place, load_and_step, plans[other], n_ranks, directory):
            assert identical(loaded, written[0]), f"{writer} -> {other}-{n_ranks}"
    # And one process, which has joined no others, has the model whole.
    checkpoints = plans["fsdp"].checkpoints(directory)
    weights = checkpoints.load_model("best", written[0]["hyperparameters"], CPU)
    assert identical(weights, written[0]["model"])


def test_copies_of_a_shard_are_written_once(plans: dict[str, Plan], tmp_path: Path) -> None:
    """Of two copies on two ranks each, as of one."""
    run_ranks(4, tmp_path / "write", step_and_save, plans["hsdp"], 4, tmp_path / "checkpoints")
    shards = tmp_path / "checkpoints" / "step-00000002" / "shards"
    metadata = FileSystemReader(shards).read_metadata()
    pieces = 0
    for name, entry in metadata.state_dict_metadata.items():
        assert isinstance(entry, TensorStorageMetadata), name
        assert sum(chunk.sizes.numel() for chunk in entry.chunks) == entry.size.numel(), name
        pieces += len(entry.chunks)
    assert len(metadata.storage_data) == pieces
    files = {stored.relative_path for stored in metadata.storage_data.values()}
    assert files == {path.name for path in shards.glob("__*")}


def save_and_die(plan: Plan, directory: Path, victims: tuple[int, ...], moment: int) -> bool:
    """Save step 2 and let the victims be killed when they are to touch a file for the n-th time.

    Returns whether there were that many times.
    """
    rank = dist.get_rank()
    touched = 0

    def touch(event: str, _arguments: object) -> None:
        nonlocal touched
        if event in FILE_EVENTS and rank in victims:
            if touched == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            touched += 1

    def fsync(fd: Any) -> None:
        touch("open", ())
        sync(fd)

    checkpoints = plan.checkpoints(directory)
    sync, os.fsync = os.fsync, fsync
    sys.addaudithook(touch)
    _save(checkpoints, 2)
    os.fsync = sync
    return touched <= moment


def _save(checkpoints: Any, step: int) -> None:
    weights = {"w": torch.full((64,), float(step)), "b": torch.full((64,), float(step))}
    state = {"model": weights, "hyperparameters": {}, "progress": {"step": step}}
    checkpoints.save(step, state, best=True)
    getattr(checkpoints, "wait", lambda: None)()


def _require_good(checkpoints: Any) -> int:
    """That the newest is whole, with all values of one step; returns the step."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no half of one stands in the way
        state = checkpoints.load_latest(CPU)
    step = state["progress"]["step"]
    for value in state["model"].values():
        assert value.tolist() == [step] * 64
    assert checkpoints.load_model("best", {}, CPU)["w"][0] in (1, 2)
    return int(step)


@pytest.fixture
def quiet() -> Iterator[None]:
    """What the ranks that stay behind say of the end of another goes nowhere."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    yield
    os.dup2(kept, 2)
    os.close(nowhere)
    os.close(kept)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("plan", ["ddp", "background"])
def test_killed_at_any_moment_of_a_save(plans: dict[str, Plan], tmp_path: Path, plan: str) -> None:
    """One rank or both are killed at each of their file operations in turn, some 60 in all.

    Whatever is there is whole, is loaded, and the next checkpoint is written.
    """
    kills, outcomes = 0, set()
    for victims in ((0,), (1,), (0, 1)):
        for moment in range(200):
            place = tmp_path / f"{victims}-{moment}"
            checkpoints = plans[plan].checkpoints(place / "checkpoints")
            _save(checkpoints, 1)
            codes = start_ranks(
                2,
                place / "ranks",
                save_and_die,
                plans[plan],
                checkpoints.directory,
                victims,
                moment,
            )
            outcomes.add(_require_good(checkpoints))
            _save(checkpoints, 3)
            assert checkpoints.load_latest(CPU)["progress"]["step"] == 3
            assert not list(checkpoints.directory.glob("step-*.tmp"))
            if codes == [0, 0]:
                break
            assert -signal.SIGKILL in codes, codes
            assert all(code != 0 for code in codes), codes  # nobody believes that it was written
            kills += 1
    assert outcomes == {1, 2}
    assert kills >= 50
