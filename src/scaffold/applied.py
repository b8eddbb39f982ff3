"""What a project says was applied to it, read with distrust: it may come from anybody."""

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scaffold import __version__
from scaffold.answer_file import parse_answer_text
from scaffold.base import BaseError, read_base
from scaffold.destination import find_destination
from scaffold.errors import DesignError, DestinationError
from scaffold.lock import Lock, LockError, read_lock, record
from scaffold.records import BASE_PATH, DESIGN_PATH, LOCK_PATH
from scaffold.render import Tree

LARGEST_LOCK = 4 * 2**20  # bytes, which take seconds to read
LARGEST_DESIGN = 256 * 1024  # likewise: it is read by a parser that is written in Python
LARGEST_ARCHIVE = 64 * 2**20
# Windows has neither, nor links and pipes that anybody could put there.
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
NO_WAIT = getattr(os, "O_NONBLOCK", 0)


@dataclass(frozen=True)
class Applied:
    """What was last applied to a project: its lock, and the pristine files of that time."""

    lock: Lock
    base: Tree


def find_project(path: Path) -> Path:
    """The folder of a project without links in its path; raises DestinationError for any other."""
    found = find_destination(path)
    if found.root is not None:
        raise DestinationError(f"{path} does not exist")
    own = found.path / PurePosixPath(LOCK_PATH).parent
    if own.is_symlink() or (os.path.lexists(own) and not own.is_dir()):
        raise DestinationError(f"{own} must be a folder, and no link to one")
    if not os.path.lexists(found.path / LOCK_PATH):
        above = [each for each in found.path.parents if (each / LOCK_PATH).is_file()][:1]
        hint = "".join(f"; {each} is one" for each in above)
        raise DestinationError(f"{path} is no project of scaffold: it has no {LOCK_PATH}{hint}")
    return found.path


def read_applied(folder: Path) -> Applied:
    """Lock and base; raises LockError or BaseError where one is damaged or not of the other."""
    lock = read_project_lock(folder)
    base = read_base(_read(folder, BASE_PATH, LARGEST_ARCHIVE))
    if {path: record(file) for path, file in base.items()} != lock.files:
        raise LockError(f"{LOCK_PATH} and {BASE_PATH} are not of the same update; restore both")
    if DESIGN_PATH not in base or not _is_design(base[DESIGN_PATH].content):
        raise BaseError(f"{BASE_PATH} holds no {DESIGN_PATH} that can be read; restore it")
    for path in base:
        if path.casefold().startswith(".scaffold/"):
            raise BaseError(f"{BASE_PATH} holds {path!r}, which is no file of a project")
        for parent in PurePosixPath(path).parents:
            if str(parent) in base:
                raise BaseError(f"{BASE_PATH}: {str(parent)!r} is both a file and a folder")
    return Applied(lock, base)


def read_project_lock(folder: Path) -> Lock:
    """The lock alone; raises LockError."""
    try:
        text = _read(folder, LOCK_PATH, LARGEST_LOCK).decode()
    except UnicodeDecodeError as error:
        raise LockError(f"{LOCK_PATH}: not UTF-8 text ({error}); restore it") from None
    if "<<<<<<< " in text and ">>>>>>> " in text:  # whoever's: no line of a lock has them
        raise LockError(
            f"{LOCK_PATH} holds conflict marks: take it and {BASE_PATH} from one side, as by "
            "`git checkout --ours .scaffold`, settle the other files, then run `scaffold update`"
        )
    return read_lock(text)


def is_by_newer_tool(lock: Lock) -> bool:
    """Whether a project was last updated by a newer release than this one."""
    mine, its = (
        tuple(int(number) for number in re.findall(r"\d{1,9}", version)[:3])
        for version in (__version__, lock.tool)
    )
    return its > mine


def read_design_text(folder: Path) -> str:
    """The text of scaffold.yaml; raises LockError where there is none that can be read."""
    try:
        return _read(folder, DESIGN_PATH, LARGEST_DESIGN).decode()
    except UnicodeDecodeError as error:
        raise LockError(f"{DESIGN_PATH}: not UTF-8 text ({error})") from None


def written_values(text: str) -> dict[str, str]:
    """The values that a scaffold.yaml names; raises DesignError where it will not do."""
    found = parse_answer_text(text, DESIGN_PATH, Path(DESIGN_PATH))
    if found.problems:
        raise DesignError(found.problems)
    return found.values


def _is_design(content: bytes) -> bool:
    if len(content) > LARGEST_DESIGN:
        return False
    try:
        return not parse_answer_text(content.decode(), DESIGN_PATH, Path(DESIGN_PATH)).problems
    except UnicodeDecodeError:
        return False


def _read(folder: Path, name: str, limit: int) -> bytes:
    """The content of an ordinary file that is not too large; never waits, as for a pipe."""
    path = folder / name
    try:
        descriptor = os.open(path, os.O_RDONLY | NO_LINK | NO_WAIT)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise LockError(f"{name} is no ordinary file; restore it")
            content = file.read(limit + 1)
    except IsADirectoryError:
        raise LockError(f"{name} is no ordinary file; restore it") from None
    except FileNotFoundError:
        raise LockError(f"{name} is missing; restore it") from None
    except OSError as error:
        if (folder / name).is_symlink():
            raise LockError(f"{name} is a link; put the file itself there") from None
        raise LockError(f"{name} cannot be read: {error.strerror or error}") from None
    if len(content) > limit:
        raise LockError(f"{name} has more than {limit} bytes; restore it, or make it shorter")
    return content
