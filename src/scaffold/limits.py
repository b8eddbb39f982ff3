"""Limits on what a command may use while it works out what packs say: time, and memory.

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
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

from scaffold.errors import ScaffoldError

CPU_SECONDS = 30  # a command takes one or two
MEMORY_BYTES = 2 * 2**30  # of addresses; a command takes a tenth of it
OUT_OF_MEMORY = 70  # exit code of the child
# Not what a template does: others, such as that of a stack without end, are its doing.
ENDED_BY_USER = (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))
SECONDS_TO_HEAR = 0.2  # in which the child hears of a Ctrl-C, which a terminal sends to both
LONGEST_NOTE = 400  # bytes


class _Shared:
    """Memory that a child has in common with its parent.

    It holds what is worked out at the moment, and how often the child was interrupted.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 1 + LONGEST_NOTE)

    @property
    def note(self) -> str:
        """What is worked out; empty if all is."""
        return self._memory[1:].rstrip(b"\0").decode(errors="replace")

    @note.setter
    def note(self, text: str) -> None:
        encoded = text.encode(errors="replace")[:LONGEST_NOTE]
        self._memory[1:] = encoded.ljust(LONGEST_NOTE, b"\0")

    @property
    def interrupts(self) -> int:
        """How often the child was interrupted, up to what a byte holds."""
        return self._memory[0]

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """What the child does when it is interrupted."""
        self._memory[0] = min(255, self._memory[0] + 1)
        signal.default_int_handler(number, frame)


class _Process:
    """This process: what it has in common with its parent, if ``limited`` made it."""

    shared: _Shared | None = None


_process = _Process()


class LimitError(ScaffoldError):
    """A template or an expression of a pack took more than any needs."""


def limited(run: Callable[[], int]) -> int:
    """The exit code of ``run`` in a child process; raises LimitError where limits ended it."""
    if not hasattr(os, "fork") or _process.shared is not None:
        return run()
    sys.stdout.flush()
    sys.stderr.flush()
    shared = _Shared()
    with _terminal_as_it_was():
        status = _status(run, shared)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number in ENDED_BY_USER:
            os.kill(os.getpid(), number)
        if not shared.note:
            raise _cut_off(f"it was ended by signal {number}")
        is_time = number == signal.SIGXCPU
        raise _too_much(
            shared.note, f"{CPU_SECONDS} seconds" if is_time else "this machine can give"
        )
    code = os.waitstatus_to_exitcode(status)
    if code == OUT_OF_MEMORY and not shared.note:
        raise _cut_off("there is not enough memory")
    if code == OUT_OF_MEMORY:
        raise _too_much(shared.note, f"{MEMORY_BYTES // 2**30} GiB of memory")
    return code


def _status(run: Callable[[], int], shared: _Shared) -> int:
    """The status with which a child ends that runs ``run``."""
    # No signal may come to one of the two before it knows what to do.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDED_BY_USER)
    child = os.fork()
    if child == 0:
        _process.shared = shared
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, shared.interrupt)
        _exit(run, before)
    with _passing_on(child, shared):
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return os.waitpid(child, 0)[1]


@contextmanager
def _passing_on(child: int, shared: _Shared) -> Iterator[None]:
    """Signals to this process are the child's to answer."""
    heard = 0

    def pass_on(number: int, _frame: FrameType | None) -> None:
        nonlocal heard
        if number == signal.SIGINT:
            heard += 1
            time.sleep(SECONDS_TO_HEAR)
            if shared.interrupts >= min(heard, 255):
                return
        with suppress(ProcessLookupError):
            os.kill(child, number)

    was = {number: signal.getsignal(number) for number in ENDED_BY_USER}
    for number, handler in was.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, pass_on)
    try:
        yield
    finally:
        for number, handler in was.items():
            signal.signal(number, handler)


@contextmanager
def _terminal_as_it_was() -> Iterator[None]:
    """Gives a terminal back its settings, which a child that was ended cannot."""
    termios = importlib.import_module("termios")
    try:
        settings = termios.tcgetattr(sys.stdin.fileno())
    except (OSError, ValueError, termios.error):  # it is none, or closed
        yield
        return
    try:
        yield
    finally:
        with suppress(termios.error):
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, settings)


def note(text: str) -> None:
    """Notes what is about to be worked out, for the error that a limit would cause."""
    if _process.shared is not None:
        _process.shared.note = text


def tighten() -> None:
    """Sets the limits, in a process that ``limited`` made; elsewhere, nothing happens.

    Time counts from now. Whoever has packs opened calls this then: a fetch may take what it takes.
    """
    if _process.shared is None:
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
    if _process.shared is None:
        return
    note("")
    resource = importlib.import_module("resource")
    for name in (resource.RLIMIT_CPU, resource.RLIMIT_AS):
        _, hard = resource.getrlimit(name)
        resource.setrlimit(name, (hard, hard))


def _exit(run: Callable[[], int], mask: set[int | signal.Signals]) -> NoReturn:
    """Ends the child with the exit code of ``run``."""
    code = 1
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
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


def _too_much(what: str, limit: str) -> LimitError:
    return LimitError(f"{what}: takes more than {limit}, and no template needs as much")
