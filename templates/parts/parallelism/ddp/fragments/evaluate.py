"""Each rank takes every world_size-th batch; all ranks do the same number of forwards."""

from .ranks import rank, sum_over_ranks, world_size


def evaluate(totals, n_samples, batch_size):
    # {% macro starts() %}
    # Equally many batches on each rank, or one would wait for another; some may be empty.
    rounds = range(0, n_samples, batch_size * world_size())
    starts = [min(first + rank() * batch_size, n_samples) for first in rounds]
    # {% endmacro %}
    # {% macro reduce() %}
    totals = {name: sum_over_ranks(value) for name, value in totals.items()}
    # {% endmacro %}
    return starts, totals
