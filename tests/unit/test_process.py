"""The tool as a process of its own: what it imports, a closed pipe, a real terminal."""

import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import scaffold

HEAVY = ("torch", "copier", "jinja2", "omegaconf", "questionary", "yaml", "shtab", "prompt_toolkit")
# A test that was started in the background has SIGINT ignored, and so would what it starts.
RUN = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
    "from scaffold.cli import main; sys.exit(main(sys.argv[1:]))"
)


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
    assert "update" in done.stdout


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


@pytest.mark.parametrize("command", ["check made", "check made --json"])
def test_a_reader_that_goes_away_changes_no_exit_code(command: str) -> None:
    assert _in_a_shell("new made --defaults").returncode == 0
    Path("made/README.md").unlink()
    done = _in_a_shell(command, before="exec > >(exec true); sleep 0.3;")
    assert done.returncode == 2
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("redirection", "code", "is_made"),
    [
        (">&-", 0, True),
        ("2>&-", 0, True),
        ("<&- >&- 2>&-", 0, True),
        (">/dev/full", 2, True),
        ("--json >/dev/full", 2, True),
        ("--set task.dim=none >&-", 2, False),
        ("--set task.dim=none 2>&-", 2, False),
        ("--set task.dim=none 2>/dev/full", 2, False),
        ("--set task.dim=none --json >/dev/full", 2, False),
    ],
)
def test_streams_that_are_closed_or_full(redirection: str, code: int, is_made: bool) -> None:
    done = _in_a_shell(f"new made --defaults {redirection}")
    assert done.returncode == code
    assert "Traceback" not in done.stderr + done.stdout
    if "2>" not in redirection and code:
        assert ("the project is in made" in done.stderr) is is_made
        assert done.stderr.startswith("error: standard output: No space left") is is_made
    assert (Path("made") / "scaffold.yaml").is_file() is is_made


def test_without_standard_input_nothing_is_asked() -> None:
    done = _in_a_shell("new made <&-")
    assert (done.returncode, done.stdout) == (2, "")
    assert "it is not answered" in done.stderr


def test_letters_that_the_output_cannot_hold_are_escaped() -> None:
    done = _in_a_shell("new Ä --name made --defaults", PYTHONIOENCODING="ascii:strict")
    assert done.returncode == 0
    assert done.stdout.startswith("\\xc4: ")


def test_a_folder_that_is_gone() -> None:
    for words in ("new made --defaults", "new .. --defaults --dry-run"):
        done = _in_a_shell(words, before="mkdir gone; cd gone; rmdir ../gone;")
        assert done.returncode == 2
        assert "cannot be written: No such file or directory" in done.stderr


def _in_a_shell(words: str, before: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """The tool with redirections, as a shell does them."""
    root = Path(scaffold.__file__).parents[1]
    line = f"{before} exec {shlex.quote(sys.executable)} -c {shlex.quote(RUN)} {words}"
    return subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root), **variables},
        check=False,
    )


def test_asks_on_a_real_terminal() -> None:
    shown, code = _on_a_terminal(["new", "asked"], ["\r"] * 3 + ["\x1b"] + ["\r"] * 60)
    assert code == 0
    assert "Is this what you want?" in shown
    assert "Next:" in shown
    assert (Path("asked") / "scaffold.yaml").is_file()


def test_leaving_on_a_real_terminal_writes_nothing() -> None:
    shown, code = _on_a_terminal(["new", "left"], ["\r", "\r", "\x03"])
    assert code == 130
    assert "nothing is written" in shown
    assert list(Path().iterdir()) == []


PACK = """\
id: acme
version: "1"
title: Acme
policy: {precision: {locked: bfloat16, reason: our cluster has H100s}}
"""


def test_asks_in_the_child_process_that_a_pack_gets() -> None:
    Path("acme").mkdir()
    Path("acme/pack.yaml").write_text(PACK)
    shown, code = _on_a_terminal(["new", "asked", "--pack", "acme"], ["\r"] * 60)
    assert code == 0
    assert "Next:" in shown
    assert "our cluster has H100s" in Path("asked/DESIGN.md").read_text()
    shown, code = _on_a_terminal(["new", "left", "--pack", "acme"], ["\r", "\x03"])
    assert code == 130
    assert shown.count("nothing is written") == 1
    assert sorted(path.name for path in Path().iterdir()) == ["acme", "asked"]


@pytest.mark.parametrize("send", [os.kill, os.killpg])  # the second as a terminal does
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 130)]
)
def test_a_signal_reaches_the_child_process_that_a_pack_gets(
    send: Callable[[int, int], None], number: int, code: int
) -> None:
    Path("acme/data").mkdir(parents=True)
    Path("acme/pack.yaml").write_text(PACK)
    loop = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    Path("acme/data/x.jinja").write_text(loop)
    words = [sys.executable, "-c", RUN, "new", "x", "--pack", "acme", "--defaults"]
    root = str(Path(scaffold.__file__).parents[1])
    with subprocess.Popen(
        words,
        env={**os.environ, "PYTHONPATH": root},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not (child := children.read_text().strip()):
            time.sleep(0.01)
        time.sleep(0.5)
        send(process.pid, number)
        _, told = process.communicate(timeout=20)
    assert process.returncode == code
    assert told.count("Interrupted: nothing is written.") == (number == signal.SIGINT)
    assert not Path(f"/proc/{child}").exists()


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
