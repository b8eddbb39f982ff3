"""Projects with the same model under each plan, imported, and processes that run their code."""

import importlib
import multiprocessing
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from rendering import render_answers
from runs import write_project
from torch.distributed.tensor import DTensor

from scaffold.catalogue import Catalogue
from scaffold.design import Value

CPU = torch.device("cpu")
FORK = multiprocessing.get_context("fork")  # torch is imported once, and here it has no threads
MODEL: Mapping[str, Value] = {
    "task": "language-model",
    "task.dim": 32,
    "task.n_layers": 2,
    "task.n_heads": 4,
    "task.max_seq_len": 32,
    "precision": "float32",
}


@dataclass(frozen=True)
class Plan:
    """A project under one plan."""

    folder: Path
    package: str

    def module(self, name: str) -> Any:
        """A module of its package."""
        return importlib.import_module(f"{self.package}.{name}")

    def new_state(self, n_ranks: int) -> Any:
        """A model with new weights, spread as the plan says, and its optimizer."""
        values = ["train.device=cpu", "train.batch_size=8", "train.micro_batch_size=1"]
        if self.package.startswith("hsdp"):
            values.append(f"train.shard_ranks={max(1, n_ranks // 2)}")
        path = self.folder / "configs" / "train.yaml"
        config = self.module("config").load_config(["--config", str(path), *values])
        shape = self.module("model").ModelConfig()
        if self.package.startswith("ddp"):
            model = self.module("model").build_model(shape, CPU, config.train.seed)
        else:
            model = self.module("parallel").build_sharded(shape, CPU, config.train)
        optimizer = self.module("optim").build_optimizer(model, config.optimizer)
        return self.module("state").TrainState(model, optimizer, CPU)

    def checkpoints(self, directory: Path) -> Any:
        """The checkpoints in a directory."""
        return self.module("checkpoint").Checkpoints(directory, keep_last=2)

    def take_a_step(self, state: Any, n_ranks: int) -> None:
        """One step on the same eight rows at any number of ranks."""
        generator = torch.Generator().manual_seed(0)
        tokens = torch.randint(0, 256, (8, 33), generator=generator)
        own = tokens[dist.get_rank() :: n_ranks]
        # The other fields of a batch are for kinds of data that these models do not have.
        batch = self.module("data").Batch(own[:, :-1], own[:, 1:])
        self.module("step").train_step(state, [batch], 1.0)


def write_plan(catalogue: Catalogue, folder: Path, name: str, given: Mapping[str, Value]) -> Plan:
    """Write and import a project."""
    rendering = render_answers(catalogue, {**MODEL, **given, "project.name": name})
    write_project(rendering, folder / name)
    sys.path.insert(0, str(folder / name / "src"))
    plan = Plan(folder / name, rendering.design.project.package)
    plan.module("train")
    return plan


def in_full(state: Any) -> Any:
    """A nested state of whole tensors."""
    if isinstance(state, Mapping):
        return {key: in_full(value) for key, value in state.items()}
    if isinstance(state, DTensor):
        return state.full_tensor()
    return state


def _rank_main(
    work: Callable[..., Any], arguments: Sequence[Any], place: Path, number: int, total: int
) -> None:
    os.environ |= {"RANK": str(number), "WORLD_SIZE": str(total), "LOCAL_RANK": str(number)}
    torch.set_num_threads(1)
    dist.init_process_group(
        "gloo",
        init_method=f"file://{place / 'store'}",
        rank=number,
        world_size=total,
        timeout=timedelta(seconds=20),
    )
    torch.save(work(*arguments), place / f"{number}.pt")
    dist.barrier()
    sys.stdout.flush()
    os._exit(0)  # what the parent has registered for its own end is not for us


def start_ranks(total: int, place: Path, work: Callable[..., Any], *arguments: Any) -> list[int]:
    """Run ``work`` on each of ``total`` ranks; returns their exit codes."""
    place.mkdir(parents=True)
    ranks = [
        FORK.Process(target=_rank_main, args=(work, arguments, place, number, total))
        for number in range(total)
    ]
    for process in ranks:
        process.start()
    for process in ranks:
        process.join(timeout=60)
        if process.exitcode is None:
            process.kill()
            process.join()
    return [process.exitcode or 0 for process in ranks]


def run_ranks(total: int, place: Path, work: Callable[..., Any], *arguments: Any) -> list[Any]:
    """What ``work`` returns on each of ``total`` ranks."""
    assert start_ranks(total, place, work, *arguments) == [0] * total
    return [torch.load(place / f"{number}.pt", weights_only=False) for number in range(total)]
