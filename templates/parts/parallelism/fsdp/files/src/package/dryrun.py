"""What one rank of many would keep and send in a step, without any of them.

    python -m {{package}}.dryrun --world 512 [--local 8] [--json] [--config FILE] [group.key=value ...]

The model is sharded as it would be, over ranks that exist in name only, and takes two steps on
tensors without data: the second, by when the optimizer has its state, is what is shown. Not in it
are fragmentation, workspaces of kernels and libraries, and what a compiler would save.

Exit codes: 0 all was worked out; 2 a value is wrong.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass

import torch
import torch.distributed as dist
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.tensor import DTensor
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._pytree import tree_leaves

from .config import Config, ConfigError, load_config
from .footprint import Traffic, Unread, counted, fused_norms
from .mesh import n_data_ranks
from .model import ModelConfig
from .optim import build_optimizer
from .parallel import materialize, parallelize
from .state import TrainState
from .step import train_step

GIB = 2**30
CPU = torch.device("cpu")


@dataclass(frozen=True)
class Report:
    """Of one rank: bytes, and calls of collectives with the bytes that they were about."""

    world: int
    micro_batches: int  # of each rank, in a step
    total_parameters: int  # of the whole model
    parameters: int  # bytes, as are the following
    gradients: int
    optimizer: int
    buffers: int
    peak: int
    traffic: dict[str, Traffic]

    @property
    def activations(self) -> int:
        """The rest of the peak: activations, gathered weights, and what is on its way."""
        return self.peak - self.parameters - self.optimizer - self.buffers


# {# Slots: mesh reads values, binds mesh. model reads mesh and model_config, binds model; total is an argument of Report. assumptions reads modes. batch reads model_config and values, binds batch. #}
def dry_run(config: Config, model_config: ModelConfig, world: int, local: int) -> Report:
    """Take two steps as rank 0 of ``world``, ``local`` a machine, and report the second.

    Raises ``ConfigError`` if the batch does not divide over the ranks.
    """
    values = config.train
    os.environ |= {"RANK": "0", "WORLD_SIZE": str(world), "LOCAL_WORLD_SIZE": str(local)}
    share = values.micro_batch_size * n_data_ranks()
    if values.batch_size % share:
        raise ConfigError(
            [
                f"train.batch_size = {values.batch_size}: must be a multiple of {share}, which is"
                f" train.micro_batch_size = {values.micro_batch_size} on each of {n_data_ranks()}"
                " ranks"
            ]
        )
    n_batches = values.batch_size // share
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=world)
    # {% print parallelism.mesh() %}
    # {% print pipeline.model() %}
    # {% print task.batch() %}
    gradients = 0
    with ExitStack() as modes:
        modes.enter_context(torch.compiler.set_stance("force_eager"))
        # {% print each.assumptions() %}
        parallelize(model, mesh, values)
        modes.enter_context(FakeTensorMode(allow_non_fake_inputs=True))
        modes.enter_context(Unread())
        modes.enter_context(fused_norms())
        footprint = modes.enter_context(counted())
        materialize(model, CPU, CPU)
        footprint.watch([*model.parameters(), *model.buffers()])
        state = TrainState(model, build_optimizer(model, config.optimizer), CPU)

        def count_gradients(*_: object) -> None:
            nonlocal gradients
            gradients = n_bytes(p.grad for p in model.parameters())

        state.optimizer.register_step_pre_hook(count_gradients)
        for _ in range(2):
            footprint.restart()
            train_step(state, [batch] * n_batches, values.max_grad_norm)
    dist.destroy_process_group()
    return Report(
        world=world,
        micro_batches=n_batches,
        # {% print pipeline.total() %}
        parameters=n_bytes(model.parameters()),
        gradients=gradients,
        optimizer=n_bytes(tree_leaves(state.optimizer.state_dict())),
        buffers=n_bytes(model.buffers()),
        peak=footprint.peak,
        traffic=dict(footprint.traffic),
    )


def n_bytes(values: Iterable[object]) -> int:
    """Of what this rank has of the tensors among the values; of each storage once."""
    local = [v.to_local() if isinstance(v, DTensor) else v for v in values]
    storages = {tensor.untyped_storage() for tensor in local if isinstance(tensor, Tensor)}
    return sum(storage.nbytes() for storage in storages)


def describe(report: Report) -> str:
    """The report as a table."""
    sizes = {
        "parameters": report.parameters,
        "gradients": report.gradients,
        "optimizer state": report.optimizer,
        "buffers": report.buffers,
        "activations, and weights while they are gathered": report.activations,
        "most at once": report.peak,
    }
    return "\n".join(
        [
            f"{report.total_parameters:,} parameters, {report.world} ranks, {report.micro_batches}"
            " micro-batches a step; on each rank:",
            "",
            *(f"  {size / GIB:10.3f} GiB  {name}" for name, size in sizes.items()),
            "",
            *(
                f"  {sent.n_bytes / GIB:10.3f} GiB  {name}, {sent.calls} calls a step"
                for name, sent in sorted(report.traffic.items())
            ),
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what a rank takes; what is wrong with a value is printed, one problem a line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--world", type=int, required=True, help="number of ranks, one a device")
    parser.add_argument("--local", type=int, default=8, help="ranks of a machine, at most (8)")
    parser.add_argument("--json", action="store_true", help="bytes and counts, for programs")
    options, others = parser.parse_known_args(arguments)
    try:
        local = min(options.local, options.world)
        report = dry_run(load_config(others), ModelConfig(), options.world, local)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2
    print(json.dumps(asdict(report)) if options.json else describe(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
