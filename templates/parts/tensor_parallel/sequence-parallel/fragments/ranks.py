"""Ranks that share each matrix have the same samples."""

from .config import ConfigError


# {% macro sizes() %}
TENSOR_RANKS = {{design.tensor_parallel.degree}}  # share each matrix; next to each other, in one machine


def tensor_ranks() -> int:
    """How many ranks share each matrix; one that is alone has it whole."""
    return min(TENSOR_RANKS, world_size())


# {% endmacro %}
def init_ranks(n_shares):
    # {% macro shares() %}
    if n_shares % tensor_ranks():
        raise ConfigError(
            [
                f"WORLD_SIZE = {n_shares}: must be a multiple of TENSOR_RANKS = {TENSOR_RANKS}, the"
                " ranks that share each matrix"
            ]
        )
    n_shares //= tensor_ranks()
    # {% endmacro %}
    return n_shares
