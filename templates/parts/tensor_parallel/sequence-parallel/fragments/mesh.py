"""Ranks that share each matrix have the same samples."""

import os

from .ranks import rank, tensor_ranks, world_size


# {% macro data_ranks() %}
def data_rank() -> int:
    """The number among those that share out the samples, from 0, of this process and its group."""
    return rank() // tensor_ranks()


def n_data_ranks() -> int:
    """How many groups share out the samples; the ranks of one share each matrix."""
    return world_size() // tensor_ranks()


# {% endmacro %}
def build_mesh():
    return {
        # {% macro inner_dimensions() %}
        "tensor": tensor_ranks(),
        # {% endmacro %}
    }


def build_sharded(shard_ranks):
    # {% macro of_a_machine() %}
    shard_ranks = shard_ranks or int(os.environ["LOCAL_WORLD_SIZE"]) // tensor_ranks()
    # {% endmacro %}
    return shard_ranks
