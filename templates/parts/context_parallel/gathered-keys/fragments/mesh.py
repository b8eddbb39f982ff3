"""Ranks that share the tokens of a sample hold shards as well."""

import os

from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from .ranks import context_ranks, rank, sample_ranks, world_size


# {% macro data_ranks() %}
def data_rank() -> int:
    """The number among those that share out the samples, from 0, of this process and its group."""
    return rank() // sample_ranks()


def n_data_ranks() -> int:
    """How many groups share out the samples; the ranks of one share the tokens of each."""
    return world_size() // sample_ranks()


def build_context_mesh(device_type: str) -> DeviceMesh:
    """The ranks, in one dimension, that share tokens with this one. Every rank must call it."""
    sizes = {
        "data": n_data_ranks(),
        "context": context_ranks(),
        # {% print each.inner_dimensions() %}
    }
    mesh = init_device_mesh(device_type, tuple(sizes.values()), mesh_dim_names=tuple(sizes))
    return mesh["context"]


# {% endmacro %}
def build_mesh(n_data_ranks):
    return {
        # {% macro shard() %}
        "shard": n_data_ranks() * context_ranks(),
        # {% endmacro %}
    }


def build_copies(shard_ranks):
    return {
        # {% macro shard_of_a_copy() %}
        "shard": shard_ranks * context_ranks(),
        # {% endmacro %}
    }


def build_sharded(shard_ranks):
    # {% macro of_a_machine() %}
    shard_ranks = shard_ranks or int(os.environ["LOCAL_WORLD_SIZE"]) // sample_ranks()
    # {% endmacro %}
    return shard_ranks
