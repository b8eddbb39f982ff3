"""The device mesh: every rank holds one shard of each parameter, and has samples of its own."""

import torch
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh


# {# Slots: outer_dimensions, shard and inner_dimensions are entries of a dictionary, name: number of
#    ranks; data_ranks are functions. #}
# {% print pipeline.data_ranks() %}
def build_mesh(device: torch.device) -> DeviceMesh:
    """The mesh of all ranks; those that are next to each other in the last dimension are nearest.

    Every rank must call it.
    """
    sizes = {
        # {% print each.outer_dimensions() %}
        # {% print context_parallel.shard() %}
        # {% print each.inner_dimensions() %}
    }
    return init_device_mesh(device.type, tuple(sizes.values()), mesh_dim_names=tuple(sizes))
