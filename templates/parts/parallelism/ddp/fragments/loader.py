"""The ranks share out each micro-batch of a step, so the samples are those of one process."""

from .ranks import rank, world_size


class Loader:
    def _first_samples(self, seen):
        # {% macro first_samples() %}
        # The ranks take turns, so the samples of a step are the same for every number of ranks.
        first = seen + rank() * self._micro_batch_size
        return range(first, seen + self._batch_size, self._micro_batch_size * world_size())
        # {% endmacro %}
