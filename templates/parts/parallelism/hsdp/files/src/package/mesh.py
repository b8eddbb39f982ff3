"""The device mesh: groups of ranks that hold a copy of the model each, a shard of it every rank.

A group should be the devices of one machine, whose links are the fastest: shards are gathered in
every layer, and copies exchange gradients once a step.
"""

import torch
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from .config import ConfigError


# {# Slots: outer_dimensions, shard_of_a_copy and inner_dimensions are entries of a dictionary, name:
#    number of ranks; data_ranks are functions; of_a_machine rebinds shard_ranks where it is 0. #}
# {% print pipeline.data_ranks() %}
def build_mesh(device: torch.device, shard_ranks: int) -> DeviceMesh:
    """The mesh of all ranks; those that are next to each other in the last dimension are nearest.

    ``shard_ranks`` of them hold a copy of the model between them; 0 stands for those of a machine.
    Every rank must call it. Raises ``ConfigError`` if the ranks do not divide into such groups.
    """
    # {% print context_parallel.of_a_machine() %}
    if n_data_ranks() % shard_ranks:
        raise ConfigError(
            [f"train.shard_ranks = {shard_ranks}: must divide the {n_data_ranks()} ranks"]
        )
    sizes = {
        # {% print each.outer_dimensions() %}
        "replicate": n_data_ranks() // shard_ranks,
        # {% print context_parallel.shard_of_a_copy() %}
        # {% print each.inner_dimensions() %}
    }
    return init_device_mesh(device.type, tuple(sizes.values()), mesh_dim_names=tuple(sizes))
