"""Trains a small model of a generated project on several ranks, and on one without any plan.

    python plan_ranks.py PROJECT PACKAGE WORLD...

For each number of ranks in turn: a whole run of three steps with two micro-batches a rank, targets
that do not count, clipping, an evaluation, and a checkpoint, which the next number loads. What came
of it is printed as one line of JSON: how far it is from the run without a plan.
"""

import importlib
import json
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

CPU = torch.device("cpu")
# As far as a design has them.
SIZES = {
    "dim": 32,
    "n_layers": 2,
    "n_heads": 4,
    "n_kv_heads": 2,
    "hidden_dim": 64,
    "max_seq_len": 32,
    "window": 9,
    "score_cap": 2.0,
    "logit_softcap": 3.0,
    "global_every": 2,
    "nope_every": 2,
    "n_experts": 8,
    "top_k": 2,
    "n_shared_experts": 1,
    "n_dense_layers": 1,
    "dense_hidden_dim": 48,
}
STEPS = 3
BATCH_SIZE = 8
N_EVALUATED = 5


class Project:
    """A generated project, its modules by name."""

    def __init__(self, folder: Path, package: str) -> None:
        sys.path.insert(0, str(folder / "src"))
        self.package = package
        self.has_stages = (folder / "src" / package / "stage.py").exists()
        model = self("model").ModelConfig()
        known = {field.name for field in fields(model)}
        self.model_config = replace(
            model, **{name: size for name, size in SIZES.items() if name in known}
        )
        if self.has_stages:
            self.model_config = replace(self.model_config, n_layers=5)
        values = (folder / "configs" / "train.yaml").read_text(encoding="utf-8")
        step = (folder / "src" / package / "step.py").read_text(encoding="utf-8")
        self.has_balance = "shift_biases" in step
        self.has_autocast = "torch.autocast" in step  # in bfloat16
        self.config = self("config").load_config(
            [
                "--config",
                str(folder / "configs" / "train.yaml"),
                "train.device=cpu",
                f"train.batch_size={BATCH_SIZE}",
                "train.micro_batch_size=2",
                f"train.eval_samples={N_EVALUATED}",
                "train.max_grad_norm=0.5",
                *(["train.compile_backend=aot_eager"] if "compile_backend" in values else []),
            ]
        )

    def __call__(self, module: str) -> Any:
        return importlib.import_module(f"{self.package}.{module}")

    def samples(self, first: int, count: int) -> Any:
        """Of a stream without end; some targets do not count, and documents end within a row."""
        rows, length = [], self.model_config.max_seq_len + 1
        for number in range(first, first + count):
            generator = torch.Generator().manual_seed(number)
            shape = (length,)
            row = torch.randint(0, self.model_config.vocab_size, shape, generator=generator)
            end_of_text: int = getattr(self("tokenizer").Tokenizer, "end_of_text", 0)
            row[number % 7 :: 9].fill_(end_of_text)
            rows.append(row)
        tokens = torch.stack(rows) if rows else torch.zeros(0, length, dtype=torch.int64)
        targets = tokens[:, 1:].clone()
        for place, number in enumerate(range(first, first + count)):
            targets[place, : 5 * (number % 4)] = -100
        return self("data").Batch(tokens[:, :-1], targets)


class Samples:
    """Samples in place of a train set or a validation set."""

    def __init__(self, project: Project) -> None:
        self.samples = project.samples

    def __len__(self) -> int:
        return N_EVALUATED


def without_a_plan(project: Project) -> dict[str, Any]:
    """The run in one process, on the plain model: a step is one batch."""
    model = project("model").build_model(project.model_config, CPU, project.config.train.seed)
    optimizer = project("optim").build_optimizer(model, project.config.optimizer)
    objective = project("objective")

    def autocast() -> torch.autocast:
        return torch.autocast("cpu", dtype=torch.bfloat16, enabled=project.has_autocast)

    result: dict[str, Any] = {"losses": [], "norms": []}
    result["start"] = {name: value.clone() for name, value in model.state_dict().items()}
    for step in range(STEPS):
        batch = project.samples(step * BATCH_SIZE, BATCH_SIZE)
        with autocast():
            loss = objective.summed_loss(model, batch) / objective.count_targets(batch)
        loss.backward()
        limit = project.config.train.max_grad_norm
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), limit)
        result.setdefault(
            "gradients", {name: value.grad.clone() for name, value in model.named_parameters()}
        )
        optimizer.step()
        optimizer.zero_grad()
        shift_biases(project, model)
        result["losses"].append(loss.item())
        result["norms"].append(norm.item())
    result["weights"] = model.state_dict()
    batch = project.samples(0, N_EVALUATED)
    with torch.no_grad(), autocast():
        sums = objective.evaluate_batch(model.eval(), batch)
    result["evaluation"] = (sums["loss"] / sums["targets"]).item()
    return result


def shift_biases(project: Project, model: torch.nn.Module) -> None:
    """As after a step, where a bias keeps the experts equally busy."""
    if project.has_balance:
        routers = project("expert_load").routers_of(model)
        loads = torch.stack([router.load for router in routers])
        project("balance").shift_biases(model, loads.clone())
        for router in routers:
            router.load.zero_()


def on_ranks(project: Project) -> dict[str, Any]:
    """The run on this rank, with the project's own loader, step and evaluation."""
    state = new_state(project)
    values = project.config.train

    def whole(value: torch.Tensor) -> torch.Tensor:
        full: torch.Tensor = project("shards").whole(value)
        return full.detach().clone()

    result: dict[str, Any] = {}
    result["start"] = {name: whole(value) for name, value in state.model.state_dict().items()}

    def keep(*_: object) -> None:
        result.setdefault(
            "gradients", {name: whole(value.grad) for name, value in state.model.named_parameters()}
        )

    state.optimizer.register_step_pre_hook(keep)
    with project("loader").Loader(
        Samples(project), 0, BATCH_SIZE, values.micro_batch_size, CPU
    ) as loader:
        steps = [
            project("step").train_step(state, loader.next_step(), values.max_grad_norm)
            for _ in range(STEPS)
        ]
    result["losses"] = [step.loss for step in steps]
    result["norms"] = [step.grad_norm for step in steps]
    stop = project("signals").StopSignal()
    metrics = project("evaluate").evaluate(state.model, Samples(project), values, CPU, stop)
    result["evaluation"] = metrics["val_loss"]
    result["weights"] = {name: whole(value) for name, value in state.model.state_dict().items()}
    result["state"] = gathered(project, state)
    if project.has_stages:
        shares: list[Any] = [None] * dist.get_world_size()
        dist.all_gather_object(shares, result)
        for name in ("start", "gradients", "weights"):
            result[name] = {key: value for share in shares for key, value in share[name].items()}
    return result


def gathered(project: Project, state: Any) -> Any:
    """The state of a run, as one process writes it; on rank 0."""
    whole = project("shards").gather(state.state_dict())
    return project("stage_state").join_stages(whole) if project.has_stages else whole


def new_state(project: Project) -> Any:
    values = project.config.train
    model = project("parallel").build_sharded(project.model_config, CPU, values)
    optimizer = project("optim").build_optimizer(model, project.config.optimizer)
    return project("state").TrainState(model, optimizer, CPU)


def _rank_main(
    rank: int, world: int, place: Path, project_at: tuple[Path, str], before: Path | None
) -> None:
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(world), "LOCAL_RANK": str(rank)}
    os.environ["LOCAL_WORLD_SIZE"] = str(min(world, 2))  # of a machine
    project = Project(*project_at)
    dist.init_process_group(
        "gloo",
        init_method=f"file://{place}/store",
        rank=rank,
        world_size=world,
        timeout=timedelta(seconds=20),
    )
    result = on_ranks(project)
    if before is not None:
        state = new_state(project)
        state.load_state_dict(torch.load(before, weights_only=False)["state"])
        loaded = gathered(project, state)
        saved = torch.load(before, weights_only=False)["state"]
        if rank == 0:
            result["continues"] = all(
                identical(loaded[name], saved[name]) for name in saved if name != "rng"
            )
    if rank == 0:
        torch.save(result, place / "result.pt")
    dist.barrier()
    dist.destroy_process_group()


def identical(one: Any, other: Any) -> bool:
    if torch.is_tensor(one):
        return one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(identical(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(identical, one, other))
    return bool(one == other)


def distance(one: Mapping[str, torch.Tensor], other: Mapping[str, torch.Tensor]) -> float:
    """The largest distance of two tensors of the same name, relative to the norm of one.

    Or to a thousandth of the largest: the gradients of biases of keys are zero but for rounding.
    """
    assert one.keys() == other.keys()
    least = max(value.norm().item() for value in other.values()) / 1000
    distances = [
        ((one[name] - other[name]).norm() / other[name].norm().clamp(min=least)).item()
        for name in one
    ]
    return float(max(distances))


def main(folder: str, package: str, *worlds: str) -> None:
    torch.set_num_threads(1)
    project = Project(Path(folder), package)
    expected = without_a_plan(project)
    before = None
    processes = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as scratch:
        for number, world in enumerate(map(int, worlds)):
            place = Path(scratch) / f"{number}-of-{world}"
            place.mkdir()
            arguments = (world, place, (Path(folder), package), before)
            ranks = [
                processes.Process(target=_rank_main, args=(rank, *arguments))
                for rank in range(world)
            ]
            for process in ranks:
                process.start()
            for process in ranks:
                process.join()
            if any(process.exitcode != 0 for process in ranks):
                sys.exit(1)  # what went wrong stands on stderr
            before = place / "result.pt"
            result = torch.load(before, weights_only=False)
            report = {
                "world": world,
                "start": identical(result["start"], dict(expected["start"])),
                "gradients": distance(result["gradients"], expected["gradients"]),
                "weights": distance(result["weights"], expected["weights"]),
                "continues": result.get("continues", True),
            }
            for name in ("losses", "norms", "evaluation"):
                pair = zip(
                    torch.tensor([result[name]]).flatten().tolist(),
                    torch.tensor([expected[name]]).flatten().tolist(),
                    strict=True,
                )
                report[name] = max(abs(got - wanted) / wanted for got, wanted in pair)
            print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
