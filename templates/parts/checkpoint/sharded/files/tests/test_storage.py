"""What some ranks wrote is read by any number of them, and a fault of one is known to all."""

import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import identical, new_state
from many_ranks import run_ranks
from package.checkpoint import Checkpoints
from package.config import Config
from package.data import TrainSet
from package.model import ModelConfig
from package.moments import load_moments, named_moments
from package.state import TrainState
from package.step import train_step
from package.storage import SHARDS, find_fault_anywhere
from torch.distributed.tensor import DTensor

# {# Slot: saved reads checkpoints. #}
CPU = torch.device("cpu")
TENSORS = {"w": torch.arange(4096.0), "b": torch.ones(4096)}


def in_full(state: Mapping[str, Any]) -> dict[str, Any]:
    """Weights and moments, none of which is spread any more."""
    spread = {name: value for name, value in state.items() if name != "rng"}
    return {
        part: {
            name: value.full_tensor() if isinstance(value, DTensor) else value
            for name, value in values.items()
        }
        for part, values in spread.items()
    }


def save(checkpoints: Checkpoints, step: int, **state: Any) -> None:
    """Save a state; one of two tensors if none is given."""
    state = state or {"model": TENSORS, "progress": {"step": step}}
    checkpoints.save(step, state, best=True)
    # {% print each.saved() %}


def step_and_save(config: Config, model_config: ModelConfig, directory: Path) -> dict[str, Any]:
    """Take a step and save; returns what was saved."""
    state = new_state(config, model_config, CPU)
    take_a_step(state, config)
    save(Checkpoints(directory, keep_last=2), 1, **state.state_dict())
    return in_full(state.state_dict())


def take_a_step(state: TrainState, config: Config) -> None:
    batch = TrainSet(config.data, state.model.config, seed=0).samples(0, 2)
    train_step(state, [batch], 1.0)


def load_and_show(config: Config, model_config: ModelConfig, directory: Path) -> dict[str, Any]:
    """Continue from what is there; returns the state."""
    state = new_state(config, model_config, CPU)
    like = dict(state.model.named_parameters())
    saved = Checkpoints(directory, keep_last=2).load_latest(CPU, like)
    assert saved is not None
    state.load_state_dict({**saved, "rng": state.state_dict()["rng"]})
    return in_full(state.state_dict())


def test_what_two_ranks_wrote_is_read_by_one(
    config: Config, model_config: ModelConfig, tmp_path: Path
) -> None:
    directory = tmp_path / "checkpoints"
    written, other = run_ranks(2, tmp_path / "two", step_and_save, config, model_config, directory)
    assert identical(written, other)
    sizes = [path.stat().st_size for path in (directory / "step-00000001" / SHARDS).glob("__*")]
    assert len(sizes) == 2
    assert min(sizes) > 0.3 * sum(sizes)  # each writes about half of it
    # In this process, which has joined no others.
    saved = Checkpoints(directory, keep_last=2).load_latest(CPU)
    assert saved is not None
    assert identical(in_full(saved), written)
    weights = Checkpoints(directory, 2).load_model("best", written["hyperparameters"], CPU)
    assert identical(weights, written["model"])


def test_what_one_rank_wrote_is_read_by_two(
    config: Config, model_config: ModelConfig, device: torch.device, tmp_path: Path
) -> None:
    assert device == CPU
    directory = tmp_path / "checkpoints"
    written = step_and_save(config, model_config, directory)
    ranks = run_ranks(2, tmp_path / "two", load_and_show, config, model_config, directory)
    assert all(identical(read, written) for read in ranks)


def save_on_a_full_disk(directory: Path) -> list[str]:
    """What each rank hears when rank 1 cannot write, and which checkpoints are there then."""
    resource = pytest.importorskip("resource")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    torch.manual_seed(0)
    checkpoints = Checkpoints(directory, keep_last=2)
    said = []
    for step, size in ((1, resource.RLIM_INFINITY), (2, 1000), (3, resource.RLIM_INFINITY)):
        if torch.distributed.get_rank() == 1:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        try:
            save(checkpoints, step)
        except OSError as error:
            said.append(str(error))
    return said + sorted(path.name for path in directory.glob("step-*[0-9]"))


def test_a_full_disk_of_one_rank_is_known_to_all(tmp_path: Path) -> None:
    one, other = run_ranks(2, tmp_path / "two", save_on_a_full_disk, tmp_path / "checkpoints")
    assert one == other
    assert "rank 1" in one[0]
    assert one[1:] == ["step-00000001", "step-00000003"]


def look_for_faults(directory: Path) -> list[str | None]:
    return [find_fault_anywhere(path) for path in sorted(directory.glob("step-*"))]


def test_a_broken_shard_is_known_to_all(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path / "checkpoints", keep_last=9)
    files = ["__0_0.distcp", ".metadata"]
    for step in range(1 + 2 * len(files)):
        save(checkpoints, step)
    for number, name in enumerate(files):
        path = tmp_path / "checkpoints" / f"step-{2 * number + 1:08d}" / SHARDS / name
        path.write_bytes(path.read_bytes()[:-1])
        path = tmp_path / "checkpoints" / f"step-{2 * number + 2:08d}" / SHARDS / name
        path.unlink()
    one, other = run_ranks(2, tmp_path / "two", look_for_faults, tmp_path / "checkpoints")
    assert one == other
    assert one[0] is None
    for number, name in enumerate(files):
        cut, lost = one[2 * number + 1 : 2 * number + 3]
        assert cut is not None
        assert f"{name} is not" in cut
        assert lost is not None
        assert name in lost
    with pytest.warns(UserWarning, match="trying the checkpoint before it"):
        state = checkpoints.load_latest(CPU) or {}
    assert state["progress"] == {"step": 0}


def test_moments_have_the_names_of_the_parameters(state: TrainState, config: Config) -> None:
    assert named_moments(state.model, state.optimizer) == {}
    assert not any(parameter.grad is not None for parameter in state.model.parameters())
    take_a_step(state, config)
    moments = named_moments(state.model, state.optimizer)
    names = {name for name, _ in state.model.named_parameters()}
    assert {name.rpartition(".")[0] for name in moments} == names

    rates = [group["lr"] for group in state.optimizer.param_groups]
    copies = {name: value.clone() for name, value in moments.items()}
    load_moments(state.model, state.optimizer, {})
    assert named_moments(state.model, state.optimizer) == {}
    load_moments(state.model, state.optimizer, copies)
    assert identical(named_moments(state.model, state.optimizer), copies)
    assert [group["lr"] for group in state.optimizer.param_groups] == rates
