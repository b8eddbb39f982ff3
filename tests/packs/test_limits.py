"""The child process with limits: what becomes of it is told as exit code or one error."""

import os
import signal
import subprocess
import sys

import pytest

from scaffold.limits import LONGEST_NOTE, LimitError, limited, loosen, note, tighten


def test_the_exit_code_is_that_of_the_child() -> None:
    assert limited(lambda: 3) == 3


def test_a_fault_is_told_with_its_traceback() -> None:
    code = "from scaffold.limits import limited\nlimited(lambda: 1 / 0)\n"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.count("ZeroDivisionError") == 1


def use_all_memory() -> int:
    note("data/x.jinja")
    raise MemoryError


def die() -> int:
    note("data/y.jinja" + "x" * LONGEST_NOTE)
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def test_the_template_that_was_rendered_is_named() -> None:
    with pytest.raises(LimitError, match=r"data/x\.jinja: takes more than 2 GiB of memory"):
        limited(use_all_memory)
    with pytest.raises(LimitError, match=r"data/y\.jinjax+: takes more than this machine"):
        limited(die)


def test_limits_are_set_in_the_child_alone() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)

    def child() -> int:
        tighten()
        low = resource.getrlimit(resource.RLIMIT_AS)[0]
        loosen()
        high = resource.getrlimit(resource.RLIMIT_AS)[0]
        return 0 if low == 2 * 2**30 and high == before[1] else 1

    assert limited(child) == 0
    tighten()
    assert resource.getrlimit(resource.RLIMIT_AS) == before
