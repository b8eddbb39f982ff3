"""A stop that was asked for from outside: seen between steps, never in the middle of one."""

import signal
from types import FrameType

EXIT_STOPPED = 75  # EX_TEMPFAIL of sysexits.h: nothing is wrong, start again to continue


# {# Slot: stop_requested returns from requested; it reads self._received. #}
class StopSignal:
    """Remembers that SIGTERM or SIGUSR1 arrived, so that the loop can save and leave.

    Schedulers send one of the two before they take the machine away.
    """

    def __init__(self) -> None:
        self._received = False
        for name in ("SIGTERM", "SIGUSR1"):
            number = getattr(signal, name, None)  # Windows has no SIGUSR1
            if number is not None:
                signal.signal(number, self._receive)

    def _receive(self, _number: int, _frame: FrameType | None) -> None:
        self._received = True

    def requested(self) -> bool:
        """Whether to stop now; poll it between steps and between batches of an evaluation."""
        # {% print parallelism.stop_requested() %}
