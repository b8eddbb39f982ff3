"""What all ranks do together, and how they hear of it if one of them could not."""

from collections.abc import Callable
from typing import TypeVar, cast

import torch.distributed as dist

Result = TypeVar("Result")


def rank_or_zero(group: dist.ProcessGroup | None = None) -> int:
    """The number of this process, 0 where there is no other."""
    return dist.get_rank(group) if dist.is_initialized() else 0


def n_ranks(group: dist.ProcessGroup | None = None) -> int:
    """The number of processes, 1 where no other was joined."""
    return dist.get_world_size(group) if dist.is_initialized() else 1


def on_every_rank(
    work: Callable[[], Result], group: dist.ProcessGroup | None = None
) -> list[Result]:
    """What ``work`` returns on each rank, in the order of the ranks; the same list on each.

    No rank goes on before all have done it. Raises ``OSError``, the same one on each, if it did on
    any, as on a full disk.
    """
    result: Result | None = None
    fault = ""
    try:
        result = work()
    except OSError as error:
        fault = str(error)
    outcomes: list[tuple[Result | None, str] | None] = [(result, fault)]
    if dist.is_initialized():
        outcomes = [None] * n_ranks(group)
        dist.all_gather_object(outcomes, (result, fault), group)
    gathered = cast("list[tuple[Result, str]]", outcomes)
    faults = [f"rank {rank}: {text}" for rank, (_, text) in enumerate(gathered) if text]
    if faults:
        raise OSError("; ".join(faults))
    return [value for value, _ in gathered]


def on_first_rank(work: Callable[[], Result], group: dist.ProcessGroup | None = None) -> Result:
    """What ``work`` returns on rank 0, which alone does it; all others wait for it.

    Raises ``OSError`` on all of them if it did.
    """
    results = on_every_rank(lambda: work() if rank_or_zero(group) == 0 else None, group)
    return cast("Result", results[0])
