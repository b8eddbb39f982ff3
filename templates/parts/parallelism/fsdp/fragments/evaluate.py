"""Each rank takes every n_data_ranks-th batch; all ranks do the same number of forwards."""

from .mesh import data_rank, n_data_ranks


def evaluate(totals, n_samples, batch_size):
    # {% macro starts() %}
    # Equally many batches on each rank, or one would wait for another; some may be empty.
    rounds = range(0, n_samples, batch_size * n_data_ranks())
    starts = [min(first + data_rank() * batch_size, n_samples) for first in rounds]
    # {% endmacro %}
    # {% macro reduce() %}
    # {% print pipeline.reduce() %}
    # {% endmacro %}
    return starts, totals
