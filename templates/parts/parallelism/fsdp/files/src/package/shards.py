"""Tensors of which every rank has a part."""

from collections.abc import Callable, Collection
from typing import Any

from torch import Tensor
from torch.distributed.tensor import DTensor, Replicate, distribute_tensor
from torch.overrides import TorchFunctionMode


# {# Slots: whole_states are functions; of_others reads value, may return all of it. #}
# {% print checkpoint.whole_states() %}
def whole(value: Tensor) -> Tensor:
    """All of a tensor of which every rank has a part; each rank must call it."""
    if not isinstance(value, DTensor):
        return value
    placements = list(value.placements)
    for dimension in range(len(placements)):  # of the mesh, from the outermost on
        placements[dimension] = Replicate()
        value = value.redistribute(placements=placements)
    # {% print each.of_others() %}
    return value.to_local()


class CopyingParts(TorchFunctionMode):
    """Within it, what is copied into a sharded tensor is whole, and this rank keeps its part."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Collection[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        if func is Tensor.copy_ and isinstance(args[0], DTensor):
            target, full = args
            return target.copy_(part_of(full, target))
        return func(*args, **(kwargs or {}))


def part_of(full: Tensor, like: Tensor) -> Tensor:
    """A whole tensor, sharded as another one of the same shape; nothing is communicated."""
    if not isinstance(like, DTensor):
        return full
    return distribute_tensor(full, like.device_mesh, like.placements, src_data_rank=None)
