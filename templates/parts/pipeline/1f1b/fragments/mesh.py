"""Ranks of one pipeline have the same samples."""

from .ranks import n_stages, rank, world_size


# {% macro data_ranks() %}
def data_rank() -> int:
    """The number among those that share out the samples, from 0, of this process."""
    return rank() % n_data_ranks()


def n_data_ranks() -> int:
    """How many ranks share out the samples, in each stage; those of one pipeline have the same."""
    return world_size() // n_stages()


# {% endmacro %}
def build_mesh():
    return {
        # {% macro outer_dimensions() %}
        "pipeline": n_stages(),
        # {% endmacro %}
    }
