"""How a command ends: what went wrong is a message and an exit code, not a traceback."""

import os
import sys
from collections.abc import Callable

from .config import ConfigError


def drop_output() -> None:
    """Write to nowhere from now on: whoever read the output has gone, also for what is buffered."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def exit_code_of(command: Callable[[], int]) -> int:
    """Run a command and return its exit code.

    2 if a value or the data is wrong, which is printed; 1 if reading or writing failed, as on a
    full disk; 130 after Ctrl-C. Whoever reads the output may stop early: that is no failure.
    """
    try:
        code = command()
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
        return 0
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return code
