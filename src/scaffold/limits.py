"""Limits on what a command may use that works out what packs say: time, and memory.

Templates can loop without end, and one expression can fill all memory in a single step of the
interpreter, in which no signal is handled: only another process can end that with a clear error.
Such a command runs in a child process, and its parent tells what became of it. Where there is no
``fork`` (Windows), the command runs without limits.
"""

import importlib
import mmap
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress

from scaffold.errors import ScaffoldError

CPU_SECONDS = 30  # a command takes one or two
MEMORY_BYTES = 2 * 2**30  # of addresses; a command takes a tenth of it
OUT_OF_MEMORY = 70  # exit code of the child
# Not what a template does: others, such as that of a stack without end, are its doing.
ENDED_BY_USER = (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))

LONGEST_NOTE = 400  # bytes

# In such a child, the memory that it shares with its parent: what is worked out at the moment.
_notes: list[mmap.mmap] = []


class LimitError(ScaffoldError):
    """A template or an expression of a pack took more than any needs."""


def limited(run: Callable[[], int]) -> int:
    """The exit code of ``run`` in a child process; raises LimitError where limits ended it."""
    if not hasattr(os, "fork") or _notes:
        return run()
    sys.stdout.flush()
    sys.stderr.flush()
    shared = mmap.mmap(-1, LONGEST_NOTE)
    child = os.fork()
    if child == 0:
        _notes.append(shared)
        _exit(run)
    status = _wait(child)
    is_worked_out = not any(shared)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number in ENDED_BY_USER:
            os.kill(os.getpid(), number)
        if is_worked_out:
            raise _cut_off(f"it was ended by signal {number}")
        is_time = number == signal.SIGXCPU
        raise _too_much(shared, f"{CPU_SECONDS} seconds" if is_time else "this machine can give")
    code = os.waitstatus_to_exitcode(status)
    if code == OUT_OF_MEMORY and is_worked_out:
        raise _cut_off("there is not enough memory")
    if code == OUT_OF_MEMORY:
        raise _too_much(shared, f"{MEMORY_BYTES // 2**30} GiB of memory")
    return code


def _wait(child: int) -> int:
    """The status with which the child ends; signals to this process are the child's to answer."""

    def pass_on(number: int, _frame: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGTERM, signal.SIGHUP)}
    # The terminal sends this one to both.
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return os.waitpid(child, 0)[1]
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def note(text: str) -> None:
    """Notes what is about to be worked out, for the error that a limit would cause."""
    for shared in _notes:
        shared[:] = text.encode(errors="replace")[:LONGEST_NOTE].ljust(LONGEST_NOTE, b"\0")


def tighten() -> None:
    """Sets the limits, in a process that ``limited`` made; elsewhere, nothing happens.

    Until then the command may wait for a repository to be fetched.
    """
    if not _notes:
        return
    resource = importlib.import_module("resource")
    used = sum(os.times()[:2])
    for name, most in (
        (resource.RLIMIT_CPU, int(used) + CPU_SECONDS),
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(name)
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(name, (limit, hard))


def loosen() -> None:
    """Takes the limits back once all is worked out: what comes then is no pack's doing."""
    if not _notes:
        return
    note("")
    resource = importlib.import_module("resource")
    for name in (resource.RLIMIT_CPU, resource.RLIMIT_AS):
        _, hard = resource.getrlimit(name)
        resource.setrlimit(name, (hard, hard))


def _exit(run: Callable[[], int]) -> None:
    """Ends the child with the exit code of ``run``."""
    code = 1
    try:
        code = run()
        sys.stdout.flush()
        sys.stderr.flush()
    except MemoryError:
        code = OUT_OF_MEMORY
    finally:
        if code == 1 and sys.exc_info()[0] is not None:  # a fault of ours
            traceback.print_exc()
        with suppress(OSError):
            sys.stderr.flush()
        os._exit(code)


def _cut_off(reason: str) -> LimitError:
    """The error where the command itself did not come to its end."""
    return LimitError(
        f"the command did not come to its end: {reason}; what it had begun to change in a project"
        " is taken back by the next `scaffold check` there"
    )


def _too_much(shared: mmap.mmap, limit: str) -> LimitError:
    what = bytes(shared).rstrip(b"\0").decode(errors="replace")
    what = what if what.isprintable() and what else "a template or an expression of a pack"
    return LimitError(f"{what}: takes more than {limit}, and no template needs as much")
