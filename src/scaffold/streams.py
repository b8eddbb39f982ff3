"""Standard streams that a caller has closed, filled up or opened in an encoding of few letters."""

import io
import os
import sys
from typing import TextIO


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


def put(stream: TextIO, text: str) -> bool:
    """Writes to a stream at once; whether that went well."""
    try:
        stream.write(text)
        stream.flush()
    except OSError:
        close(stream)
        return False
    return True


def close(stream: TextIO) -> None:
    """Ends a stream that failed: what is left in its buffer must not fail again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
