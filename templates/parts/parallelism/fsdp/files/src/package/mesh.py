"""The device mesh: every rank holds one shard of each parameter, and has samples of its own."""

import torch
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from .ranks import rank, world_size


# {# Slots: outer_dimensions and inner_dimensions are entries of a dictionary, name: number of ranks. #}
def build_mesh(device: torch.device) -> DeviceMesh:
    """The mesh of all ranks; those that are next to each other in the last dimension are nearest.

    Every rank must call it.
    """
    sizes = {
        # {% print each.outer_dimensions() %}
        "shard": world_size(),
        # {% print each.inner_dimensions() %}
    }
    return init_device_mesh(device.type, tuple(sizes.values()), mesh_dim_names=tuple(sizes))


def data_rank() -> int:
    """The number of this process among those that share out the samples, from 0."""
    return rank()


def n_data_ranks() -> int:
    """How many processes share out the samples: all of them."""
    return world_size()
