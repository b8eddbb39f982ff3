"""A checkpoint is that of one process whatever plan wrote it, and any plan continues it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from plans import Plan, run, whole
from runs import identical
from test_plans import DESIGNS, EXPERTS, TEXT, with_ranks, written

from scaffold.catalogue import Catalogue
from scaffold.design import Value

# What has state of its own beside weights and moments, and a dimension that no two ranks can share.
KINDS: Mapping[str, Mapping[str, Value]] = {
    "two optimizers, experts with biases": {
        **TEXT,
        **EXPERTS,
        "balance": "bias",
        "optimizer": "muon",
    },
    "an average, one head of a state space": {
        **DESIGNS["state space with attention"],
        "averaging": "ema",
    },
}


def whole_state(value: Any) -> Any:
    """A nested state with whole tensors on every rank."""
    if isinstance(value, Mapping):
        return {key: whole_state(item) for key, item in value.items()}
    if isinstance(value, list):
        return [whole_state(item) for item in value]
    return whole(value) if isinstance(value, torch.Tensor) else value


def resumed(plan: Plan, directory: Path) -> tuple[Any, Any, Any]:
    """State, checkpoints and values of a run, which begins at its newest checkpoint."""
    state, config = plan.state(), plan.config()
    checkpoints = plan.module("checkpoint").Checkpoints(directory, keep_last=9)
    plan.module("resume").resume(state, checkpoints, "random tokens", config)
    return state, checkpoints, config


def train_and_save(plan: Plan, directory: Path, n_steps: int) -> Any:
    """Take some steps more; returns the state at the end, whole."""
    state, checkpoints, config = resumed(plan, directory)
    for _ in range(n_steps):
        plan.step(state, seed=state.progress.step)
        state.progress.step += 1
        state.progress.samples_seen += config.train.batch_size
    checkpoints.save(state.progress.step, state.state_dict(), best=True)
    return whole_state(state.state_dict())


def loaded(plan: Plan, directory: Path) -> Any:
    """The state at the newest checkpoint, whole."""
    return whole_state(resumed(plan, directory)[0].state_dict())


def without_generators(state: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a run and the generators of its ranks are the plan's own."""
    progress = {key: value for key, value in state["progress"].items() if key != "values"}
    return {key: state[key] for key in state.keys() - {"rng", "progress"}} | {"progress": progress}


@pytest.mark.filterwarnings("ignore:saved by")
@pytest.mark.parametrize("title", KINDS)
def test_a_run_moves_from_plan_to_plan(catalogue: Catalogue, tmp_path: Path, title: str) -> None:
    """Shards on two, copies on two, two copies of two shards, one process, shards on two again."""
    answers = KINDS[title]
    plans = {
        name.replace("-", "_"): written(
            catalogue, tmp_path, name.replace("-", "_"), {**answers, "parallelism": name}
        )
        for name in ("fsdp", "ddp", "hsdp")
    }
    stations = [
        with_ranks(plans["fsdp"], 2),
        with_ranks(plans["ddp"], 2),
        with_ranks(plans["hsdp"], 4, "train.shard_ranks=2"),
        with_ranks(plans["ddp"], 1),
        with_ranks(plans["fsdp"], 2),
    ]
    directory = tmp_path / "checkpoints"
    before: dict[str, Any] = {}
    for number, plan in enumerate(stations):
        if before:
            for found in run(plan, loaded, tmp_path / f"load-{number}", directory):
                assert identical(without_generators(found), without_generators(before))
        before = run(plan, train_and_save, tmp_path / f"save-{number}", directory, 1)[0]
        assert before["progress"]["step"] == number + 1
    names = set(before["model"])
    assert not any("_orig_mod" in name or "wrapped" in name or "fsdp" in name for name in names)


@pytest.mark.parametrize("title", KINDS)
def test_stopped_and_continued_is_the_same_to_the_last_bit(
    catalogue: Catalogue, tmp_path: Path, title: str
) -> None:
    answers = {**KINDS[title], "parallelism": "fsdp"}
    plan = with_ranks(written(catalogue, tmp_path, "fsdp", answers), 2)
    ends = []
    for place, parts in (("through", (3,)), ("stopped", (2, 1))):
        for number, n_steps in enumerate(parts):
            results = run(
                plan, train_and_save, tmp_path / f"{place}-{number}", tmp_path / place, n_steps
            )
        ends.append([without_generators(result) for result in results])
    assert identical(ends[0], ends[1])
