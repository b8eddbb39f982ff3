"""The processes of a run, one a device, and what they tell each other.

``torchrun`` starts the processes and tells each its rank; what they agree on goes through the
functions here. Every rank must call each of them, in the same order.
"""

import os
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch import Tensor

from .config import ConfigError, TrainConfig
from .device import select_device
from .rendezvous import Pulse, explained, meet, open_store


# {# Slots: sizes are functions; shares rebinds n_shares, the ranks that share out the samples. #}
# {% print each.sizes() %}
def init_ranks(config: TrainConfig) -> torch.device:
    """Join the other processes; returns the device of this one.

    Raises ``ConfigError`` if the process was not started by ``torchrun``, if the batch does not
    divide over the ranks, or if there is no device for this rank.
    """
    missing = [name for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK") if name not in os.environ]
    if missing:
        raise ConfigError(
            [f"{', '.join(missing)}: not set; start with torchrun, as launch/local.sh does"]
        )
    n_shares = world_size()
    # {% print each.shares() %}
    share = config.micro_batch_size * n_shares
    if config.batch_size % share:
        raise ConfigError(
            [
                f"train.batch_size = {config.batch_size}: must be a multiple of {share}, which is"
                f" train.micro_batch_size = {config.micro_batch_size} on each of"
                f" {n_shares} ranks"
            ]
        )
    device = _local_device(config.device)
    # What the host wants to know goes over gloo, so that no rank waits for its GPU to learn it.
    backend = "gloo"
    if device.type == "cuda":
        backend = "cpu:gloo,cuda:nccl"
        _record_flight(Path(config.run_dir))
    timeout = timedelta(minutes=config.timeout_minutes)
    store = meet(open_store(rank(), timeout), rank(), world_size(), timeout)
    dist.init_process_group(
        backend, store=store, rank=rank(), world_size=world_size(), timeout=timeout
    )
    Pulse(store.clone(), rank(), world_size()).start()
    return device


def _record_flight(run_dir: Path) -> None:
    """Let NCCL's flight recorder write down the last collectives of each rank when one times out.

    ``torchfrtrace`` finds in the files which rank did not come to which of them. What the
    environment says already stays.
    """
    for name, value in {
        "TORCH_NCCL_TRACE_BUFFER_SIZE": "2000",  # collectives that are remembered
        "TORCH_NCCL_DUMP_ON_TIMEOUT": "1",
        "TORCH_NCCL_DEBUG_INFO_TEMP_FILE": str(run_dir / "nccl-trace-rank-"),
    }.items():
        os.environ.setdefault(name, value)


def _local_device(name: str) -> torch.device:
    """The device of this rank among those of its machine, made the current one."""
    device = select_device(name)
    if device.type == "mps":
        raise ConfigError(
            ["train.device = mps: no collective runs there; set train.device=cpu to try it out"]
        )
    if device.type == "cuda":
        local_rank, n_gpus = int(os.environ["LOCAL_RANK"]), torch.cuda.device_count()
        if local_rank >= n_gpus:
            raise ConfigError(
                [
                    f"LOCAL_RANK = {local_rank}: must be below {n_gpus}, the number of GPUs here;"
                    " start as many processes with --nproc-per-node"
                ]
            )
        device = torch.device("cuda", local_rank)
        torch.cuda.set_device(device)
    return device


def rank() -> int:
    """The number of this process, from 0."""
    return int(os.environ["RANK"])


def world_size() -> int:
    """The number of processes."""
    return int(os.environ["WORLD_SIZE"])


def sum_over_ranks(value: Tensor) -> Tensor:
    """The sum of ``value`` over all ranks, the same on each."""
    total = value.clone()
    dist.all_reduce(total)
    return total


def any_rank(flag: bool) -> bool:
    """Whether the flag is set on at least one rank; the same answer on each."""
    votes = torch.tensor(int(flag))
    dist.all_reduce(votes, op=dist.ReduceOp.MAX)
    return bool(votes.item())


def require_equal(name: str, value: int) -> None:
    """Raise ``RuntimeError`` on every rank unless all of them hold the same ``value``."""
    bounds = torch.tensor([value, -value])
    dist.all_reduce(bounds, op=dist.ReduceOp.MAX)
    highest, negative_lowest = bounds.tolist()
    if highest != -negative_lowest:
        raise RuntimeError(
            f"{name} is {value} on rank {rank()}, from {-negative_lowest} to {highest} over all"
            " ranks; they must read the same files"
        )


def gather_objects(value: object) -> list[object]:
    """What every rank holds, in the order of the ranks; the same list on each."""
    gathered: list[object] = [None] * world_size()
    dist.all_gather_object(gathered, value)
    return gathered


def leave_ranks() -> None:
    """Wait for the others, so that nobody leaves while a checkpoint is being written."""
    try:
        dist.barrier()
    except RuntimeError as error:
        raise explained(error) from error
    dist.destroy_process_group()
