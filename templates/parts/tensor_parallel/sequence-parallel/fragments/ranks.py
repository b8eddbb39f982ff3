"""Ranks that share each matrix have the same samples."""

import os

from .config import ConfigError


# {% macro sizes() %}
def tensor_ranks() -> int:
    """How many ranks share each matrix; one that is alone has it whole."""
    # They are next to each other in one machine. For other machines, set the environment variable.
    n_ranks = int(os.environ.get("TENSOR_RANKS", "{{design.tensor_parallel.degree}}"))
    return min(n_ranks, world_size())


# {% endmacro %}
def init_ranks(n_shares):
    # {% macro shares() %}
    if n_shares % tensor_ranks():
        raise ConfigError(
            [
                f"WORLD_SIZE = {n_shares}: must be a multiple of {tensor_ranks()}, the ranks that"
                " share each matrix"
            ]
        )
    n_shares //= tensor_ranks()
    # {% endmacro %}
    return n_shares
