"""Each rank has samples of its own."""

import os

from .ranks import rank, world_size


# {% macro data_ranks() %}
def data_rank() -> int:
    """The number of this process among those that share out the samples, from 0."""
    return rank()


def n_data_ranks() -> int:
    """How many processes share out the samples: all of them."""
    return world_size()


# {% endmacro %}
def build_sharded(shard_ranks):
    # {% macro of_a_machine() %}
    shard_ranks = shard_ranks or int(os.environ["LOCAL_WORLD_SIZE"])
    # {% endmacro %}
    return shard_ranks
