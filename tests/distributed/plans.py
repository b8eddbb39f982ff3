"""What a rank of a plan does: train a rendered project on random tokens, and tell of it."""

import importlib
import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.debug import CommDebugMode

CPU = torch.device("cpu")
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["torch", "torch.distributed.fsdp"])
N_SAMPLES = 8  # of a step


@dataclass(frozen=True)
class Plan:
    """A rendered project, and how it is started."""

    folder: Path
    package: str
    n_ranks: int = 1
    values: tuple[str, ...] = ()  # of the run, as on the command line

    def module(self, name: str) -> Any:
        """A module of the package."""
        if str(self.folder / "src") not in sys.path:
            sys.path.insert(0, str(self.folder / "src"))
        return importlib.import_module(f"{self.package}.{name}")

    def config(self) -> Any:
        """The values of the run."""
        path = str(self.folder / "configs" / "train.yaml")
        fixed = ["train.device=cpu", f"train.batch_size={N_SAMPLES}", "train.micro_batch_size=1"]
        config = self.module("config").load_config(["--config", path, *fixed, *self.values])
        return replace(config, train=replace(config.train, seed=1))

    def is_sharded(self) -> bool:
        """Whether the parameters are spread over the ranks."""
        return (self.folder / "src" / self.package / "mesh.py").exists()

    def state(self) -> Any:
        """The model before its first step, as the training builds it."""
        config, shape = self.config(), self.module("model").ModelConfig()
        if self.is_sharded():
            model = self.module("parallel").build_sharded(shape, CPU, config.train)
        else:
            model = self.module("model").build_model(shape, CPU, config.train.seed)
        optimizer = self.module("optim").build_optimizer(model, config.optimizer)
        state = self.module("state").TrainState(model, optimizer, CPU)
        if hasattr(state, "scaler"):  # float16: a scale at which nothing overflows
            state.scaler.load_state_dict(state.scaler.state_dict() | {"scale": 2.0**5})
        return state

    def samples(self, first: int, count: int, seed: int) -> Any:
        """Random samples, whose targets are of unlike number if some can be left out."""
        shape, data = self.module("model").ModelConfig(), self.module("data")
        generator = torch.Generator().manual_seed(seed)
        if hasattr(shape, "n_classes"):
            sides = (shape.n_channels, shape.image_size, shape.image_size)
            images = torch.randn(N_SAMPLES, *sides, generator=generator)
            labels = torch.randint(shape.n_classes, (N_SAMPLES,), generator=generator)
            return data.Batch(images[first : first + count], labels[first : first + count])
        drawn = torch.randint(
            shape.vocab_size, (N_SAMPLES, shape.max_seq_len + 1), generator=generator
        )
        inputs, targets = drawn[:, :-1].clone(), drawn[:, 1:].clone()
        for number in range(N_SAMPLES):
            targets[number, 3 + 3 * number :] = data.IGNORE_INDEX
        return data.Batch(inputs[first : first + count], targets[first : first + count])

    def step(self, state: Any, seed: int) -> Any:
        """A step of this rank, which takes each ``n_ranks``-th micro-batch."""
        rank = int(os.environ["RANK"])
        batches = [self.samples(n, 1, seed) for n in range(rank, N_SAMPLES, self.n_ranks)]
        return self.module("step").train_step(state, batches, 1.0)

    def evaluate(self, state: Any) -> Any:
        """Metrics over five samples, of which ranks have unlike many."""
        plan = self

        class Five:
            def __len__(self) -> int:
                return 5

            def samples(self, first: int, count: int) -> Any:
                return plan.samples(first, count, seed=9)

        stop = self.module("signals").StopSignal()
        model = getattr(state, "average", state.model)
        return self.module("evaluate").evaluate(model, Five(), self.config().train, CPU, stop)


def whole(value: Any) -> Any:
    """A tensor of which every rank may have a part, copied."""
    return (value.full_tensor() if isinstance(value, DTensor) else value).detach().clone()


def run(plan: Plan, work: Callable[..., Any], place: Path, *arguments: Any) -> list[Any]:
    """What ``work(plan, *arguments)`` returns on each rank."""
    place.mkdir(parents=True)
    ranks = [
        PROCESSES.Process(target=_rank_main, args=(plan, work, place, number, arguments))
        for number in range(plan.n_ranks)
    ]
    for process in ranks:
        process.start()
    for process in ranks:
        process.join()
    assert [process.exitcode for process in ranks] == [0] * plan.n_ranks
    return [torch.load(place / f"{n}.pt", weights_only=False) for n in range(plan.n_ranks)]


def _rank_main(
    plan: Plan, work: Callable[..., Any], place: Path, number: int, arguments: Sequence[Any]
) -> None:
    torch.set_num_threads(1)
    os.environ |= {
        "RANK": str(number),
        "LOCAL_RANK": str(number),
        "WORLD_SIZE": str(plan.n_ranks),
        "LOCAL_WORLD_SIZE": str(plan.n_ranks),
    }
    dist.init_process_group(
        "gloo",
        init_method=f"file://{place / 'store'}",
        rank=number,
        world_size=plan.n_ranks,
        timeout=timedelta(seconds=20),
    )
    torch.save(work(plan, *arguments), place / f"{number}.pt")
    dist.barrier()
    dist.destroy_process_group()


def three_steps(plan: Plan) -> dict[str, Any]:
    """Three steps and an evaluation; everything that must not depend on the plan."""
    state = plan.state()
    names = [name for name, _ in state.model.named_parameters()]
    start = {name: whole(value) for name, value in state.model.state_dict().items()}
    gradient: list[torch.Tensor] = []
    hook = state.optimizer.register_step_pre_hook(
        lambda *_: gradient.extend(
            whole(p.grad).flatten() for p in state.model.parameters() if p.grad is not None
        )
    )
    steps = [plan.step(state, seed=0)]
    hook.remove()
    steps += [plan.step(state, seed) for seed in (1, 2)]
    weights = {name: whole(value) for name, value in state.model.state_dict().items()}
    return {
        "names": names,
        "start": start,
        "gradient": torch.cat(gradient),
        "losses": torch.tensor([step.loss for step in steps]),
        "norms": torch.tensor([step.grad_norm for step in steps]),
        "weights": weights,
        "evaluation": plan.evaluate(state),
    }


def meshes(plan: Plan) -> set[tuple[str, ...]]:
    """The dimensions of the meshes over which parameters and gradients are spread."""
    state = plan.state()
    found: set[tuple[str, ...]] = set()

    def look(*_: Any) -> None:
        for parameter in state.model.parameters():
            for value in (parameter, parameter.grad):
                assert isinstance(value, DTensor)
                found.add(value.device_mesh.mesh_dim_names or ())

    state.optimizer.register_step_pre_hook(look)
    plan.step(state, seed=0)
    return found


def collectives_of_muon(plan: Plan) -> tuple[int, int]:
    """How many matrices Muon has, and how many collectives its step takes."""
    state = plan.state()
    plan.step(state, seed=0)
    muon = state.optimizer.muon
    for parameter in muon.param_groups[0]["params"]:
        parameter.grad = torch.ones_like(parameter)
    counting: Any = CommDebugMode  # which has no types
    with counting() as counts:
        muon.step()
    return len(muon.param_groups[0]["params"]), counts.get_total_counts()


def refusal(plan: Plan) -> str:
    """What a rank says that cannot build its model."""
    try:
        plan.state()
    except plan.module("config").ConfigError as error:
        return str(error)
    return ""
