"""The ranks decide together, or one would leave while the others wait for it."""

from .ranks import any_rank


class StopSignal:
    def requested(self):
        # {% macro stop_requested() %}
        # Often only one process gets the signal; all must leave at the same step. The answer is not
        # kept: a signal that comes during the vote would be overwritten by it.
        return any_rank(self._received)
        # {% endmacro %}
