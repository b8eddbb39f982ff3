"""What a run keeps about itself beside its log: a lock while it trains, and how it began and ended.

This imports no torch, so that looking at a run costs nothing.
"""

import json
import os
import socket
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from .config import ConfigError

if sys.platform != "win32":
    import fcntl

LOG_NAME = "log.jsonl"
EVENTS_NAME = "events.jsonl"
PATIENCE = 0.3  # seconds to wait for a lock; whoever only looks at the run has it for an instant


def lock(run_dir: Path) -> IO[bytes]:
    """An open file that keeps other processes out of the directory until it is closed.

    Raises ``ConfigError`` if one is there: two would replace each other's log and checkpoints.
    """
    file = (run_dir / "lock").open("wb")
    deadline = time.monotonic() + PATIENCE
    while _take(file, exclusively=True) is False:
        if time.monotonic() > deadline:
            file.close()
            raise ConfigError(
                [f"train.run_dir = {run_dir}: another process trains there; give another directory"]
            )
        time.sleep(PATIENCE / 10)
    return file


def is_locked(run_dir: Path) -> bool | None:
    """Whether a process trains in the directory; None if locks do not work there."""
    try:
        with (run_dir / "lock").open("rb") as file:
            free = _take(file, exclusively=False)
    except FileNotFoundError:
        return False
    return None if free is None else not free


def _take(file: IO[bytes], exclusively: bool) -> bool | None:
    """Lock an open file unless another process has; None where there are no locks."""
    if sys.platform == "win32":
        return None
    kind = fcntl.LOCK_EX if exclusively else fcntl.LOCK_SH
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def record(run_dir: Path, event: str, step: int, **details: object) -> None:
    """Write an event of the run and its time; no line is ever taken back, unlike those of a log."""
    line = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "event": event,
        "step": step,
        **details,
        "host": socket.gethostname(),
        "pid": os.getpid(),
    }
    with (run_dir / EVENTS_NAME).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of JSON that are whole; none if there is no file."""
    if not path.exists():
        return []
    found = []
    for line in path.read_bytes().splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue  # cut off when the machine went down, or still being written
        if isinstance(value, dict):
            found.append(value)
    return found
