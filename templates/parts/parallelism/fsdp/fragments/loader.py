"""The ranks share out each micro-batch of a step, so the samples are those of one process."""

from .mesh import data_rank, n_data_ranks


class Loader:
    def _first_samples(self, seen):
        # {% macro first_samples() %}
        # The ranks take turns, so the samples of a step are the same for every number of ranks.
        first = seen + data_rank() * self._micro_batch_size
        return range(first, seen + self._batch_size, self._micro_batch_size * n_data_ranks())
        # {% endmacro %}
