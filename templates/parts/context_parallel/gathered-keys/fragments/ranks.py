"""Ranks that share the tokens of each sample."""

import os

from .config import ConfigError


# {% macro sizes() %}
def context_ranks() -> int:
    """How many ranks share the tokens of each sample; one that is alone has them all."""
    # They are next to each other. For other machines, set the environment variable.
    n_ranks = int(os.environ.get("CONTEXT_RANKS", "{{design.context_parallel.degree}}"))
    return min(n_ranks, {{design.context_parallel.most_ranks}})


def sample_ranks() -> int:
    """How many ranks have the same samples."""
    return {{design.context_parallel.sample_ranks}}


def context_rank() -> int:
    """The number of this process among those that share tokens with it, from 0."""
    return {{design.context_parallel.own_number}}


# {% endmacro %}
def init_ranks(n_shares):
    # {% macro shares() %}
    if n_shares % context_ranks():
        raise ConfigError(
            [
                f"WORLD_SIZE = {n_shares}: must be a multiple of {context_ranks()}, the ranks that"
                " share the tokens of a sample"
            ]
        )
    n_shares //= context_ranks()
    # {% endmacro %}
    return n_shares
