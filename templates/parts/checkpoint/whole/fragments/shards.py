"""A checkpoint holds whole tensors, as that of one process does: any number of ranks continues it."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributed.tensor import DTensor


# {% macro whole_states() %}
def gather(state: Any) -> Any:
    """A nested state in which rank 0 has whole tensors, in the memory of the host; others get None.

    Every rank must call it. Tensors are gathered one by one: no device holds two of them.
    """
    if isinstance(state, Mapping):
        return {key: gather(value) for key, value in state.items()}
    if isinstance(state, list):
        return [gather(value) for value in state]
    if not isinstance(state, Tensor):
        return state
    full = whole(state)
    # A copy, also of what every rank has whole: the next step changes the weights in place.
    # {% print pipeline.keep() %}


def scatter(
    state: Mapping[str, Any], model: nn.Module, optimizer: torch.optim.Optimizer
) -> dict[str, Any]:
    """A saved state with the shards of this rank in place of whole weights and moments.

    Nothing is communicated: every rank has read all of it, and keeps its part.
    """
    parameters = model.state_dict()
    weights = {
        name: {key: _part(value, parameters[key]) for key, value in state[name].items()}
        for name in ("model", "trained_weights")
        if name in state
    }
    groups = zip(_groups(state["optimizer"]), optimizer.param_groups, strict=True)
    for (moments, saved), group in groups:
        for number, parameter in zip(saved["params"], group["params"], strict=True):
            own = moments.get(number, {})  # none before the first step
            own.update({name: _part(value, parameter) for name, value in own.items()})
    return {**state, **weights}


def _groups(state: Mapping[str, Any]) -> Iterator[tuple[dict[int, Any], Mapping[str, Any]]]:
    """Of a saved optimizer, or of each of several: its state by parameter, and a group of them."""
    if "param_groups" in state:
        for group in state["param_groups"]:
            yield state["state"], group
    else:
        for inner in state.values():
            yield from _groups(inner)


def _part(value: Any, like: Tensor) -> Any:
    """The part of a whole tensor that this rank holds of one ``like`` it; others as they are."""
    if not isinstance(value, Tensor) or isinstance(value, DTensor):
        return value
    # Of another shape is the number of steps that a parameter has taken.
    return part_of(value, like) if value.shape == like.shape else value


# {% endmacro %}
