"""Tensors of which every rank has a part."""

from torch import Tensor
from torch.distributed.tensor import DTensor


# {# Slot: whole_states are functions. #}
# {% print checkpoint.whole_states() %}
def whole(value: Tensor) -> Tensor:
    """All of a tensor of which every rank has a part; each rank must call it."""
    return value.full_tensor() if isinstance(value, DTensor) else value
