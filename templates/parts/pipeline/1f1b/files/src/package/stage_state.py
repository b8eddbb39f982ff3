"""The state of one process, put together from those of all stages, and taken apart again."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

from .mesh import n_data_ranks
from .ranks import gather_objects, n_stages, rank

HOST = torch.device("cpu")


def join_stages(state: dict[str, Any]) -> dict[str, Any]:
    """On rank 0 the state of all stages.

    ``state`` is whole on the first rank of each stage, in the memory of the host. Every rank must
    call it. One parameter after the other is sent, so no rank but 0 holds more than its stage has.
    """
    if n_stages() == 1:
        return state
    optimizer = state["optimizer"]
    groups, first = [], 0
    numbers: dict[int, int] = {}  # of this stage, and in one process
    for group, sizes in _with_sizes(optimizer["param_groups"]):
        begin = first + sum(sizes[: _stage()])
        numbers.update(zip(group["params"], range(begin, first + sum(sizes)), strict=False))
        groups.append({**group, "params": list(range(first, first + sum(sizes)))})
        first += sum(sizes)
    model = dict(state["model"])
    moments = {numbers[own]: value for own, value in optimizer["state"].items()}
    for stage in range(1, n_stages()):
        sender = stage * n_data_ranks()
        if rank() == sender:
            entries = [("model", *item) for item in model.items()]
            entries += [("moments", *item) for item in moments.items()]
            for entry in (len(entries), *entries):
                dist.send_object_list([entry], dst=0, device=HOST)
        elif rank() == 0:
            for _ in range(_received(sender)):
                kind, name, value = _received(sender)
                (model if kind == "model" else moments)[name] = value
    ordered = dict(sorted(moments.items()))
    return {**state, "model": model, "optimizer": {"state": ordered, "param_groups": groups}}


def part_of_stage(
    state: Mapping[str, Any], model: nn.Module, optimizer: torch.optim.Optimizer
) -> dict[str, Any]:
    """What the stage of this rank keeps of the state of one process; every rank must call it."""
    saved = state["optimizer"]
    groups = []
    own = _with_sizes(optimizer.param_groups)
    for group, (_, sizes) in zip(saved["param_groups"], own, strict=True):
        begin = sum(sizes[: _stage()])
        groups.append({**group, "params": group["params"][begin : begin + sizes[_stage()]]})
    numbers = {number for group in groups for number in group["params"]}
    moments = {number: value for number, value in saved["state"].items() if number in numbers}
    weights = {name: state["model"][name] for name in model.state_dict()}
    return {**state, "model": weights, "optimizer": {"state": moments, "param_groups": groups}}


def _with_sizes(groups: Sequence[dict[str, Any]]) -> list[tuple[dict[str, Any], list[int]]]:
    """Each group of parameters, and how many of it each stage has."""
    sizes: list[Any] = gather_objects([len(group["params"]) for group in groups])
    by_group = zip(*sizes[:: n_data_ranks()], strict=True)
    return [(group, list(each)) for group, each in zip(groups, by_group, strict=True)]


def _stage() -> int:
    return rank() // n_data_ranks()


def _received(sender: int) -> Any:
    entries: list[Any] = [None]
    dist.recv_object_list(entries, src=sender, device=HOST)
    return entries[0]
