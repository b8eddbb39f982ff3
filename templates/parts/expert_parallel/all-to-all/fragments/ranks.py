"""Ranks that share out the experts."""

import os


# {% macro sizes() %}
def expert_ranks() -> int:
    """How many ranks share out the experts of a layer; one that is alone has all."""
    # They are next to each other. For other machines, set the environment variable.
    n_ranks = int(os.environ.get("EXPERT_RANKS", "{{design.expert_parallel.degree}}"))
    return min(n_ranks, world_size())


# {% endmacro %}
