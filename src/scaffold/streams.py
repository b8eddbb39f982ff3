"""Standard streams that a caller has closed, filled up or opened in an encoding of few letters."""

import io
import os
import re
import sys
from typing import TextIO

BOLD = "\033[1m"
NOT_BOLD = "\033[0m"
UNUSUAL = re.compile(f"{re.escape(BOLD)}|{re.escape(NOT_BOLD)}|[^\\n\\t -\x7f]")


def open_streams() -> None:
    """Makes the three streams usable: a closed one is empty, or takes everything.

    A letter that standard output has no bytes for is written as an escape, as on standard error.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


def is_terminal() -> bool:
    """Whether somebody is there who can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def plain(text: str) -> str:
    """A text of which a terminal obeys nothing but bold letters: the rest is shown as escapes.

    Much of what is shown comes from a lock, a pack or a file that anybody may have written.
    """
    return UNUSUAL.sub(_shown, text)


def _shown(found: re.Match[str]) -> str:
    is_known = found[0] in (BOLD, NOT_BOLD) or found[0].isprintable()
    return found[0] if is_known else ascii(found[0])[1:-1]


def tell(text: str) -> None:
    """Writes to standard output, for people.

    A reader that has gone away, such as ``head``, misses nothing that it wanted: that is no error.
    """
    _write(plain(text))


def hand_over(text: str) -> None:
    """Writes to standard output what a program is to read, such as a patch, character by character.

    On a terminal it is for people.
    """
    _write(plain(text) if sys.stdout.isatty() else text)


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        close(sys.stdout)


def warn(text: str) -> None:
    """Writes to standard error."""
    sys.stderr.write(plain(text))


def put(stream: TextIO, text: str) -> bool:
    """Writes to a stream at once; whether that went well."""
    try:
        stream.write(plain(text))
        stream.flush()
    except OSError:
        close(stream)
        return False
    return True


def close(stream: TextIO) -> None:
    """Ends a stream that failed: what is left in its buffer must not fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
