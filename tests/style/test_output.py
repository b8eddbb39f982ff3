"""What is shown goes through one place, which lets nothing through that a terminal obeys."""

import ast
import io
from pathlib import Path

import pytest

from scaffold.streams import hand_over, plain

WRITES = ("sys.stdout.write", "sys.stdout.writelines", "sys.stderr.write", "print")


def test_only_one_module_writes_to_the_terminal(repository: Path) -> None:
    for path in sorted((repository / "src/scaffold").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and path.name != "streams.py":
                assert ast.unparse(node.func) not in WRITES, f"{path}:{node.lineno}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nä € 漢\n", "a\tb\nä € 漢\n"),
        ("\033[1merror:\033[0m", "\033[1merror:\033[0m"),
        ("\033[2J\033]0;x\a\r\b", "\\x1b[2J\\x1b]0;x\\x07\\r\\x08"),
        ("\x9b2J\x85", "\\x9b2J\\x85"),
        ("a\u202eb\u200b\ud800", "a\\u202eb\\u200b\\ud800"),
    ],
)
def test_what_a_terminal_obeys_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert plain(text) == shown


class Terminal(io.StringIO):
    """Where somebody reads what is written."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("kind", "shown"), [(Terminal, "\\x1b[2J"), (io.StringIO, "\x1b[2J")])
def test_a_patch_is_exact_but_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, kind: type[io.StringIO], shown: str
) -> None:
    stream = kind()
    monkeypatch.setattr("sys.stdout", stream)
    hand_over("\x1b[2J")
    assert stream.getvalue() == shown
