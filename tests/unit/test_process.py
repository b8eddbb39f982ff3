"""The tool as a process of its own: what it imports, a closed pipe, a real terminal."""

import os
import pty
import select
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

HEAVY = ("torch", "copier", "jinja2", "omegaconf", "questionary", "yaml", "shtab", "prompt_toolkit")
RUN = "import sys; from scaffold.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom scaffold.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit as end:\n    assert end.code == 0\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "new" in done.stdout
    assert "update" not in done.stdout


def test_new_imports_only_what_it_needs() -> None:
    code = (
        "import sys\nfrom scaffold.cli import main\nmain(['new', 'x', '--defaults', '--dry-run'])\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "['jinja2', 'yaml']"


def test_a_reader_that_goes_away_is_no_error() -> None:
    done = subprocess.run(
        ["bash", "-c", f"{shlex.quote(sys.executable)} -c {shlex.quote(RUN)} explain | head -n 1"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert done.stdout.startswith("task ")


def test_asks_on_a_real_terminal() -> None:
    shown, code = _on_a_terminal(["new", "asked"], ["\r"] * 3 + ["\x1b"] + ["\r"] * 40)
    assert code == 0
    assert "Is this what you want?" in shown
    assert "Next:" in shown
    assert (Path("asked") / "scaffold.yaml").is_file()


def test_leaving_on_a_real_terminal_writes_nothing() -> None:
    shown, code = _on_a_terminal(["new", "left"], ["\r", "\r", "\x03"])
    assert code == 130
    assert "nothing is written" in shown
    assert list(Path().iterdir()) == []


def _on_a_terminal(words: list[str], keys: list[str]) -> tuple[str, int]:
    """What a process shows on a terminal and its exit code; one key whenever it falls silent."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm", PROMPT_TOOLKIT_NO_CPR="1")
        os.execv(sys.executable, [sys.executable, "-c", RUN, *words])
    shown = b""
    waiting = list(keys)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.25 if shown else 5)[0]:
            try:
                shown += os.read(terminal, 65536)
            except OSError:  # how Linux tells that the other side has closed
                break
        elif waiting:
            os.write(terminal, waiting.pop(0).encode())
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return shown.decode(errors="replace"), os.waitstatus_to_exitcode(status)
