"""Ranks of one pipeline have the same samples."""

import os

from .config import ConfigError


# {% macro sizes() %}
def n_stages() -> int:
    """How many stages the layers are spread over; a rank that is alone has all of them."""
    # Of a stage the ranks are next to each other. For other devices, set the environment variable.
    stages = int(os.environ.get("PIPELINE_STAGES", "{{design.pipeline.stages}}"))
    return min(stages, world_size())


# {% endmacro %}
def init_ranks(n_shares):
    # {% macro shares() %}
    if n_shares % n_stages():
        raise ConfigError(
            [f"WORLD_SIZE = {n_shares}: must be a multiple of {n_stages()}, the number of stages"]
        )
    n_shares //= n_stages()
    # {% endmacro %}
    return n_shares
