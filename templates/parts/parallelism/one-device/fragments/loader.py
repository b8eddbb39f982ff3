"""This process takes every sample of a step."""


class Loader:
    def _first_samples(self, seen):
        # {% macro first_samples() %}
        return range(seen, seen + self._batch_size, self._micro_batch_size)
        # {% endmacro %}
