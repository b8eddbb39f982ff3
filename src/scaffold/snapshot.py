"""What a project holds now: only at given paths, so that nothing beside them costs anything."""

import os
import stat
from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from scaffold.base import is_safe
from scaffold.errors import DestinationError
from scaffold.modes import EXECUTABLE, LINK, PLAIN
from scaffold.render import RenderedFile, Tree

HAS_MODES = os.name == "posix"
# Where nobody moves a file of a project to, and where there may be very many files.
PASSED_OVER = frozenset(
    {"node_modules", "__pycache__", "venv", "site-packages", "build", "dist", "runs", "wandb"}
)
MOST_ENTRIES = 20_000  # looked at for a moved file, nearest folders first
MOST_READ = 500  # of these, read
MOST_BYTES = 2**26  # of these, together
MOST_PAIRS = 50_000  # of missing and found files, compared
LARGEST_COMPARED = 2**20  # bytes; a larger one was moved if it is the same
LEAST_ALIKE = 0.6  # share of the lines that a moved file still has
LARGEST_FILE = 2**30  # bytes: read in whole


@dataclass(frozen=True)
class Snapshot:
    """Files by path; ``blocked`` says of a path what stands in its way: a parent, or what it is."""

    files: Tree
    blocked: Mapping[str, str]


def take_snapshot(folder: Path, paths: Collection[str]) -> Snapshot:
    """Reads the files of a project at these paths; what lies behind a link is not the project's."""
    files: dict[str, RenderedFile] = {}
    blocked: dict[str, str] = {}
    known = frozenset(paths)
    for path in paths:
        obstacle = _obstacle(folder, path, known)
        file = None if obstacle else read_file(folder / path)
        if file is not None:
            files[path] = file
        elif obstacle or not _is_free(folder, path, known):
            blocked[path] = obstacle or path
    return Snapshot(files, blocked)


def read_file(path: Path) -> RenderedFile | None:
    """A file or link as git sees it; None where there is none, or something else.

    Raises DestinationError for one that is too large to be worked with.
    """
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISLNK(status.st_mode):
        return RenderedFile(os.fsencode(os.readlink(path)), LINK)
    if not stat.S_ISREG(status.st_mode):
        return None
    if status.st_size > LARGEST_FILE:
        raise DestinationError(f"{path} has more than {LARGEST_FILE} bytes; move it elsewhere")
    mode = EXECUTABLE if status.st_mode & stat.S_IXUSR else PLAIN
    return RenderedFile(path.read_bytes(), mode)


def only_mode(witness: Path) -> int | None:
    """The mode of every file where the file system has no other; None where it has.

    Some mounts make all files executable, also the witness, which nobody else would.
    """
    if not HAS_MODES:
        return PLAIN
    file = read_file(witness)
    return EXECUTABLE if file is not None and file.mode == EXECUTABLE else None


def with_mode(tree: Tree, mode: int | None) -> Tree:
    """The tree as it is on a file system that has no other mode; unchanged for None."""
    if mode is None:
        return tree
    return {
        path: file if file.mode == LINK else RenderedFile(file.content, mode)
        for path, file in tree.items()
    }


def _is_free(folder: Path, path: str, known: Collection[str]) -> bool:
    """Whether a file could be there: nothing is, or a folder that holds known files only."""
    place = folder / path
    if place.is_symlink() or not place.is_dir():
        return not os.path.lexists(place)
    return all(
        f"{path}/{entry.name}" in known or _is_free(folder, f"{path}/{entry.name}", known)
        for entry in os.scandir(place)
    )


def _obstacle(folder: Path, path: str, known: Collection[str]) -> str | None:
    """The outermost parent that is there, and neither a folder of the project nor a known file."""
    for parent in reversed(PurePosixPath(path).parents[:-1]):
        place = folder / parent
        is_other = not place.is_dir() and str(parent) not in known
        if place.is_symlink() or (is_other and os.path.lexists(place)):
            return str(parent)
    return None


def find_moved(folder: Path, missing: Tree, known: Collection[str]) -> Tree:
    """The files that those missing were most likely moved to: one for each, if any is alike."""
    if not missing:
        return {}
    places: dict[tuple[str, int], list[str]] = {}
    for path, file in missing.items():
        if file.content:
            places.setdefault(_kind(path, len(file.content)), []).append(path)
    found: dict[str, RenderedFile] = {}
    left = MOST_BYTES
    for path, size in _walk(folder):
        if path not in known and size <= left and any(_similar(places, path, size)):
            left -= size
            with suppress(OSError):  # what cannot be read was not moved here by its owner
                there = read_file(folder / path)
                if there is not None and there.mode != LINK:
                    found[path] = there
        if len(found) >= MOST_READ:
            break
    lines = {path: _lines(file) for path, file in [*missing.items(), *found.items()]}
    candidates = (
        (old, new)
        for new, file in found.items()
        for old in _similar(places, new, len(file.content))
    )
    pairs = sorted(
        (-likeness, PurePosixPath(old).name != PurePosixPath(new).name, old, new)
        for old, new in islice(candidates, MOST_PAIRS)
        if (likeness := _likeness(lines[old], lines[new])) >= LEAST_ALIKE
    )
    moved: dict[str, str] = {}
    for _, _, old, new in pairs:
        if old not in moved and new not in moved.values():
            moved[old] = new
    return {new: found[new] for new in moved.values()}


def _kind(path: str, size: int) -> tuple[str, int]:
    """The suffix and the order of magnitude of the size: one doubling is one step."""
    return PurePosixPath(path).suffix, size.bit_length()


def _similar(
    places: Mapping[tuple[str, int], Sequence[str]], path: str, size: int
) -> Iterator[str]:
    """The missing files of about the size and of the suffix that a file has."""
    suffix, magnitude = _kind(path, size)
    for step in (magnitude, magnitude - 1, magnitude + 1):
        yield from places.get((suffix, step), ())


def _walk(folder: Path) -> Iterator[tuple[str, int]]:
    """(path, size) of ordinary files, nearest first, not in hidden folders or other projects."""
    queue = deque([""])
    seen = 0
    while queue and seen < MOST_ENTRIES:
        prefix = queue.popleft()
        try:
            entries = sorted(os.scandir(folder / prefix), key=lambda entry: entry.name)
        except OSError:
            continue  # not ours to read: nothing was moved there
        seen += len(entries)
        names = {entry.name for entry in entries}
        if prefix and (".scaffold" in names or ".git" in names):
            continue
        for entry in entries:
            path = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith(".") and entry.name not in PASSED_OVER:
                    queue.append(f"{path}/")
            elif entry.is_file(follow_symlinks=False) and is_safe(path):
                yield path, entry.stat(follow_symlinks=False).st_size


def _lines(file: RenderedFile) -> Counter[bytes]:
    """The lines of a file without empty ones; of one that is not text, or very long, all of it."""
    is_text = len(file.content) <= LARGEST_COMPARED and b"\0" not in file.content
    return (
        Counter(filter(None, map(bytes.strip, file.content.splitlines())))
        if is_text
        else (Counter([file.content]))
    )


def _likeness(old: Counter[bytes], new: Counter[bytes]) -> float:
    """The share of lines that two files have in common."""
    return 2 * (old & new).total() / max(1, old.total() + new.total())
