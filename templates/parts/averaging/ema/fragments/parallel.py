"""A second model."""

import torch
from torch.distributed.tensor import DTensor

from .model import Model


# {% macro copies() %}
def sharded_copy(model: Model, device: torch.device) -> Model:
    """A second model with the same weights, sharded alike."""
    weight = next(model.parameters())
    assert isinstance(weight, DTensor)
    with torch.device("meta"):
        copy = Model(model.config)
    mesh = weight.device_mesh
    # {% print each.copy() %}
    sharded = shard(copy, mesh, True, weight.device.type != mesh.device_type)
    sharded.set_reshard_after_forward(True)  # of the whole: no backward pass follows
    materialize(copy, weight.device, device)
    copy.load_state_dict(model.state_dict())
    return copy


# {% endmacro %}
