"""The device mesh: groups of ranks that hold a copy of the model each, a shard of it every rank.

A group should be the devices of one machine, whose links are the fastest: shards are gathered in
every layer, and copies exchange gradients once a step.
"""

import os

import torch
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from .config import ConfigError
from .ranks import rank, world_size


# {# Slots: outer_dimensions and inner_dimensions are entries of a dictionary, name: number of ranks. #}
def build_mesh(device: torch.device, shard_ranks: int) -> DeviceMesh:
    """The mesh of all ranks; those that are next to each other in the last dimension are nearest.

    ``shard_ranks`` of them hold a copy of the model between them; 0 stands for those of a machine.
    Every rank must call it. Raises ``ConfigError`` if the ranks do not divide into such groups.
    """
    shard_ranks = shard_ranks or int(os.environ["LOCAL_WORLD_SIZE"])
    if world_size() % shard_ranks:
        raise ConfigError(
            [f"train.shard_ranks = {shard_ranks}: must divide the {world_size()} ranks"]
        )
    sizes = {
        # {% print each.outer_dimensions() %}
        "replicate": world_size() // shard_ranks,
        "shard": shard_ranks,
        # {% print each.inner_dimensions() %}
    }
    return init_device_mesh(device.type, tuple(sizes.values()), mesh_dim_names=tuple(sizes))


def data_rank() -> int:
    """The number of this process among those that share out the samples, from 0."""
    return rank()


def n_data_ranks() -> int:
    """How many processes share out the samples: all of them."""
    return world_size()
