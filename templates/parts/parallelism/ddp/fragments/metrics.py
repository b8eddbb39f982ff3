"""Rank 0 reports for all devices."""

from .ranks import rank, world_size
from .rendezvous import explained


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

    def __exit__(self, kind, error, traceback):
        # {% macro explain() %}
        if isinstance(error, RuntimeError) and (cause := explained(error)) is not error:
            self.__exit__(type(cause), cause, traceback)
            raise cause from error
        # {% endmacro %}
