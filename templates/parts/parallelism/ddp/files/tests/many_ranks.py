"""Several ranks in a test: processes of their own that meet in a folder."""

import os
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from conftest import start_process

Work = Callable[..., Any]


def _rank_main(work: Work, arguments: Sequence[Any], place: Path, number: int, total: int) -> None:
    os.environ |= {
        "RANK": str(number),
        "WORLD_SIZE": str(total),
        "LOCAL_WORLD_SIZE": str(min(total, 2)),  # as if a machine had two devices
    }
    dist.init_process_group(
        "gloo",
        init_method=f"file://{place / 'store'}",
        rank=number,
        world_size=total,
        timeout=timedelta(seconds=20),
    )
    torch.save(work(*arguments), place / f"{number}.pt")
    dist.barrier()  # or a rank with little to do leaves while others still connect to it
    dist.destroy_process_group()


def run_ranks(total: int, place: Path, work: Work, *arguments: Any) -> list[Any]:
    """What ``work`` returns on each of ``total`` ranks, which are processes of their own."""
    place.mkdir()
    ranks = [
        start_process(_rank_main, work, arguments, place, number, total) for number in range(total)
    ]
    for process in ranks:
        process.join()
    assert [process.exitcode for process in ranks] == [0] * total
    return [torch.load(place / f"{number}.pt", weights_only=False) for number in range(total)]
