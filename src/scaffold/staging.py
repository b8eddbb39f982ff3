"""Staging folders: where a run prepares its files, and what the next run clears up after a crash.

A staging folder holds ``owner``, a file locked for as long as its process lives; ``tree/``, the
files; and ``journal``, while files are being added to a folder that exists: what is added, so that
it can be taken back. A folder whose owner file is not locked belongs to a run that was killed. No
other folder is ever touched, and on a system without file locks none at all.
"""

import hashlib
import importlib
import json
import os
import platform
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from scaffold.base import is_safe
from scaffold.errors import DestinationError
from scaffold.keys import shown

PREFIX = ".scaffold-staging-"
OWNER = "owner"
TREE = "tree"
JOURNAL = "journal"
CONTENTS = frozenset({OWNER, TREE, JOURNAL, f"{JOURNAL}.new"})
NAME = re.compile(re.escape(PREFIX) + "[0-9a-f]{12}")
SIGNATURE = (
    b"A scaffold command prepares files here; should the folder stay, the next removes it.\n"
)
WRITER = ".scaffold/writer"
SECONDS_WITHOUT_OWNER = 60  # a run makes the owner file within microseconds


@dataclass(frozen=True)
class Journal:
    """What a run adds to a folder: the sha256 of files by path, and folders, outer ones first."""

    files: dict[str, str]
    folders: list[str]


@contextmanager
def sole_writer(folder: Path) -> Iterator[bool]:
    """Keeps other runs from adding to a folder; raises BlockingIOError where one is about it.

    Two at once have the same files to add, and would take back each other's when one fails. Yields
    whether the system has locks; if not, nobody is kept out.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # as Windows says of every folder
        yield False
        return
    try:
        is_locked = False
        with suppress(ImportError):
            is_locked = _lock(descriptor)
        yield is_locked
    finally:
        os.close(descriptor)


@contextmanager
def named_writer(project: Path) -> Iterator[None]:
    """Keeps other runs out of a project by a file, where the system has no locks.

    Raises DestinationError where there is one, which may be of a run that was killed: nobody else
    than the user can tell.
    """
    path = project / WRITER
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        who = shown(_beginning(path))
        raise DestinationError(
            f"another scaffold command is writing to {project} ({who}); if it was killed, remove "
            f"{path} and run this again"
        ) from None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(f"process {os.getpid()} on {platform.node()}")
        yield
    finally:
        path.unlink(missing_ok=True)


def _beginning(path: Path) -> str:
    """What a file begins with; nothing where it is no ordinary one."""
    if not path.is_file():
        return ""
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(200).strip()


@contextmanager
def staging_folder(parent: Path) -> Iterator[Path]:
    """A new staging folder in ``parent``, gone afterwards; yields the folder.

    It stays, for the next run to take care of, where what it lists could not be taken back.
    """
    folder = parent / f"{PREFIX}{secrets.token_hex(6)}"
    folder.mkdir()
    try:
        with _owner(folder):
            yield folder
    finally:
        if not (folder / JOURNAL).exists():
            _remove(folder)


def clear_stale(parent: Path) -> None:
    """Takes back and removes what killed runs left in a folder; never raises for what it cannot."""
    try:
        names = [name for name in os.listdir(parent) if NAME.fullmatch(name)]
    except OSError:
        return
    for name in names:
        try:
            _clear(parent, parent / name)
        except (OSError, ValueError, TypeError):
            continue


def write_journal(folder: Path, journal: Journal) -> None:
    """Records what is about to be added, durably: it must be there before the first file is."""
    draft = folder / f"{JOURNAL}.new"
    with draft.open("w", encoding="utf-8") as file:
        json.dump(asdict(journal), file)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(folder / JOURNAL)


def commit(folder: Path) -> None:
    """The moment from which the added files stay."""
    (folder / JOURNAL).unlink()


def roll_back(target: Path, folder: Path) -> None:
    """Takes back what the journal of a staging folder lists, but no file that was changed since."""
    path = folder / JOURNAL
    if not path.exists():
        return
    journal = Journal(**json.loads(path.read_text(encoding="utf-8")))
    for name in (*journal.files, *journal.folders):
        if not is_safe(name):
            raise ValueError(f"{path}: {name!r} is no path that a project may have")
    for name, sha256 in journal.files.items():
        file = target / name
        if file.is_file() and not file.is_symlink() and _sha256(file) == sha256:
            file.unlink()
    for name in reversed(journal.folders):
        if (target / name).is_dir() and not os.listdir(target / name):
            (target / name).rmdir()
    path.unlink()


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@contextmanager
def _owner(folder: Path) -> Iterator[None]:
    """Holds the owner file of a new folder, locked."""
    with (folder / OWNER).open("xb") as owner:
        _try_lock(owner)
        owner.write(SIGNATURE)
        owner.flush()
        yield


def _clear(parent: Path, folder: Path) -> None:
    if folder.is_symlink() or not CONTENTS.issuperset(os.listdir(folder)):
        return
    if not (folder / OWNER).exists():
        # A run that is just starting, or one that was killed in its first or last moment.
        if time.time() - folder.stat().st_mtime > SECONDS_WITHOUT_OWNER:
            folder.rmdir()
        return
    with (folder / OWNER).open("r+b") as owner:
        if not SIGNATURE.startswith(owner.read()) or not _try_lock(owner):
            return
        roll_back(parent, folder)
        _remove(folder)


def _remove(folder: Path) -> None:
    """Removes a staging folder; last the owner file, which tells whose it is."""
    shutil.rmtree(folder / TREE, ignore_errors=True)
    # What cannot be removed now, or is being removed by another run, is left to the next one.
    with suppress(OSError):
        (folder / f"{JOURNAL}.new").unlink(missing_ok=True)
        (folder / OWNER).unlink(missing_ok=True)
        folder.rmdir()


def _try_lock(file: BinaryIO) -> bool:
    """Whether the file could be locked; never where the system has no such locks."""
    try:
        return _lock(file.fileno())
    except (ImportError, BlockingIOError):
        return False


def _lock(descriptor: int) -> bool:
    """Whether an open file or folder could be locked; raises BlockingIOError if others did."""
    fcntl = importlib.import_module("fcntl")
    flock: Callable[[int, int], None] = fcntl.flock
    try:
        flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True
