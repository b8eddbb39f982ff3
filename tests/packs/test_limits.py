"""The child process with limits: what becomes of it is told as exit code or one error."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from making import write_pack

from scaffold.limits import LONGEST_NOTE, LimitError, limited, loosen, note, tighten
from scaffold.packs import load, load_locked
from scaffold.packs.replaced import load_replaced


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


@pytest.mark.usefixtures("toy")
def test_limits_hold_from_when_packs_are_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = str(write_pack(tmp_path / "acme"))
    records = load([text], Path()).recorded(tmp_path)
    calls: list[None] = []
    for module in ("load", "replaced"):
        place = sys.modules[f"scaffold.packs.{module}"]
        monkeypatch.setattr(place, "tighten", lambda: calls.append(None))
    load([text], Path())
    assert len(calls) == 1
    load_locked(records, tmp_path, pinned=True)
    assert len(calls) == 2
    load_replaced(records, tmp_path, [text])
    assert len(calls) == 3
