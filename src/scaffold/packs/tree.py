"""The files of a pack: read within limits, and none that could lead out of a project.

A pack comes from somebody else. Links and special files are refused, as are paths that some system
takes for something else, and files are counted and measured before they are read.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scaffold.base import is_safe
from scaffold.errors import PackError
from scaffold.migration_file import MIGRATIONS_FILE
from scaffold.modes import EXECUTABLE, PLAIN
from scaffold.sources import (
    IGNORED_NAMES,
    IGNORED_SUFFIXES,
    Source,
)

PACK_FILE = "pack.yaml"
TOP_FILES = (PACK_FILE, MIGRATIONS_FILE)
OVERLAYS = "overlays/"
AREAS = (
    "parts",
    "frames",
    "data",
    "presets",
    "overlays",
)  # of a folder, only these and the files at its top are read
MOST_FILES = 2000
LARGEST_FILE = 2**20  # bytes
LARGEST_PACK = 16 * 2**20
DEEPEST = 12  # folders
LONGEST_PATH = 200
DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}
    | {f"{name}{digit}" for name in ("com", "lpt") for digit in range(10)}
)

Kind = Literal["file", "link", "other"]


@dataclass(frozen=True)
class Entry:
    """A file before it is read: its path in the pack, its size, and whether it may be executed."""

    path: str
    kind: Kind
    size: int
    is_executable: bool


def path_problem(path: str) -> str | None:
    """Why a path may not be one of a pack or project, on any system; None if it may."""
    if not is_safe(path):
        return "is no path that a project may have"
    if len(path) > LONGEST_PATH:
        return f"is longer than {LONGEST_PATH} characters"
    for piece in path.casefold().split("/"):
        if piece.partition(".")[0] in DEVICES:
            return f"holds {piece!r}, which is a device on Windows"
        if piece.startswith("git~"):
            return f"holds {piece!r}, which is .git on Windows"
    return None


def admit(entries: Iterable[Entry], needed: str = PACK_FILE) -> list[Entry]:
    """The entries, if all may be read; raises PackError with every reason at once."""
    admitted: list[Entry] = []
    problems: list[str] = []
    seen: dict[str, str] = {}
    for entry in entries:
        if len(admitted) == MOST_FILES:
            raise PackError([f"it has more than {MOST_FILES} files"])
        admitted.append(entry)
        problem = path_problem(entry.path)
        other = seen.setdefault(entry.path.casefold(), entry.path)
        if problem is not None:
            problems.append(f"{entry.path!r}: {problem}")
        elif other != entry.path:
            problems.append(f"{entry.path}: is the same file as {other} on some systems")
        elif entry.kind == "link":
            problems.append(f"{entry.path}: is a link; a pack holds files only")
        elif entry.kind == "other":
            problems.append(f"{entry.path}: is no ordinary file")
        elif needed and entry.path in AREAS:
            problems.append(f"{entry.path}: must be a folder")
        elif entry.size > LARGEST_FILE:
            problems.append(f"{entry.path}: has more than {LARGEST_FILE} bytes")
    if sum(entry.size for entry in admitted) > LARGEST_PACK:
        problems.append(f"it has more than {LARGEST_PACK} bytes")
    if needed and needed not in seen:
        problems.append(f"it has no {needed}")
    if problems:
        raise PackError(problems)
    return admitted


def sources(
    root: Path, entries: Iterable[Entry], read: Callable[[Entry], bytes]
) -> Mapping[str, Source]:
    """The files of a pack by their path; ``root`` is what errors call the place they come from."""
    found = {}
    for entry in entries:
        is_script = entry.path.removesuffix(".jinja").endswith(".sh")
        mode = EXECUTABLE if entry.is_executable or is_script else PLAIN
        found[entry.path] = Source(root / entry.path, read(entry), mode)
    return dict(sorted(found.items()))


def is_read(path: str) -> bool:
    """Whether a file of the pack's folder belongs to the pack."""
    first, *_ = names = path.split("/")
    is_ignored = any(name in IGNORED_NAMES for name in names) or path.endswith(IGNORED_SUFFIXES)
    return not is_ignored and (path in TOP_FILES or first in AREAS)


def read_folder(root: Path) -> Mapping[str, Source]:
    """The files of a pack in a folder; raises PackError with every reason at once."""
    if not root.is_dir():
        raise PackError([f"{root} is no folder"])
    try:
        entries = admit(_walk(root))
        return sources(root, entries, lambda entry: _content(root / entry.path))
    except OSError as error:
        raise PackError([f"{error.filename}: {error.strerror or error}"]) from None


def read_files(root: Path) -> Mapping[str, Source]:
    """All files below a folder that something else has written; raises PackError."""
    found = [entry for name in sorted(os.listdir(root)) for entry in _entries(root, name)]
    entries = admit(found, needed="")
    return sources(root, entries, lambda entry: _content(root / entry.path))


def _walk(root: Path) -> Iterator[Entry]:
    for name in (*TOP_FILES, *AREAS):
        if os.path.lexists(root / name):
            yield from _entries(root, name)


def _entries(root: Path, path: str) -> Iterator[Entry]:
    """The file at a path, or all below it; links are not followed."""
    status = (root / path).lstat()
    if stat.S_ISDIR(status.st_mode):
        if path.count("/") > DEEPEST:
            raise PackError([f"{path}: is more than {DEEPEST} folders deep"])
        for name in sorted(os.listdir(root / path)):
            if name not in IGNORED_NAMES and not name.endswith(IGNORED_SUFFIXES):
                yield from _entries(root, f"{path}/{name}")
        return
    kind: Kind = "file" if stat.S_ISREG(status.st_mode) else "other"
    kind = "link" if stat.S_ISLNK(status.st_mode) else kind
    yield Entry(path, kind, status.st_size, bool(status.st_mode & stat.S_IXUSR))


def _content(path: Path) -> bytes:
    """What a file holds, that has not become a link or a pipe since it was looked at."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise PackError([f"{path}: is no ordinary file"])
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise PackError([f"{path}: has more than {LARGEST_FILE} bytes"])
    return content
