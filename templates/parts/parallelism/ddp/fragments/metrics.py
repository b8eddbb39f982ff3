"""Rank 0 reports for all devices."""

from .ranks import rank, world_size


class RunLog:
    def __init__(self):
        # {% macro all_devices() %}
        if self._peak is not None:
            self._peak *= world_size()
        # {% endmacro %}
        # {% macro only_first_rank() %}
        if rank() != 0:
            return
        # {% endmacro %}
