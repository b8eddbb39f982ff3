"""Writes a tree to disk: the project appears whole or not at all, however the run ends.

A new folder is prepared in a staging folder beside it and put in place by one rename. Where the
folder exists, the files are prepared inside it and then linked to their places under a journal; a
run that is killed meanwhile is taken back by the next one (see ``staging``).
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from scaffold.base import is_safe
from scaffold.destination import (
    busy_error,
    collision_error,
    find_destination,
    not_empty_error,
    unwritable,
)
from scaffold.errors import DestinationError
from scaffold.lock import record
from scaffold.render import RenderedFile, Tree
from scaffold.staging import (
    TREE,
    Journal,
    clear_stale,
    commit,
    roll_back,
    sole_writer,
    staging_folder,
    write_journal,
)

# Links between files are unknown to some file systems (FAT, some network ones) and sandboxes.
NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV)


def write_project(tree: Tree, path: Path, *, force: bool = False) -> Path:
    """Writes the tree to a folder that is new or empty; returns the folder's absolute path.

    With ``force`` the folder may hold files: those of the tree are added beside them, and no file
    with other content is overwritten. Raises DestinationError, having changed nothing, where the
    folder is not empty, files are in the way (all are named), or the system refuses.
    """
    for name in tree:
        if not is_safe(name):
            raise DestinationError(f"{name!r} is no path that a project may have")
    try:
        destination = find_destination(path)
        root = destination.root or destination.path
        clear_stale(root.parent)
        if destination.root is not None:
            _create(tree, destination.path, root)
            return destination.path
        with sole_writer(destination.path):
            clear_stale(destination.path)
            is_empty = not any(destination.path.iterdir())
            if is_empty and _is_replaceable(destination.path):
                _create(tree, destination.path, root)
            elif is_empty or force:
                _add(tree, destination.path)
            else:
                raise not_empty_error(path)
    except BlockingIOError:
        raise busy_error(path) from None
    except OSError as error:
        raise unwritable(path, error) from None
    return destination.path


def is_written(tree: Tree, path: Path) -> bool:
    """Whether a folder holds every file of the tree; False where that cannot be told."""
    try:
        folder = find_destination(path).path
        return not any(True for _ in _missing_files(tree, folder))
    except (DestinationError, OSError):
        return False


def _is_replaceable(folder: Path) -> bool:
    """Whether an empty folder may give way to the staged one, which takes over its mode.

    Not the one that we, and a shell, stand in: they would be left in a folder without a name. Nor
    one that hands its group down to what is made in it, or that nobody may write to.
    """
    status = folder.stat()
    return (
        os.name == "posix"
        and not status.st_mode & stat.S_ISGID
        and not os.path.samefile(folder, os.curdir)
        and not os.path.ismount(folder)
        and os.access(folder.parent, os.W_OK)
        and os.access(folder, os.W_OK | os.X_OK)
        and status.st_uid == os.geteuid()
    )


def _create(tree: Tree, target: Path, root: Path) -> None:
    """Prepares everything from the folder ``root`` on, and renames that into place.

    The rename fails unless ``root`` is free or an empty folder.
    """
    with staging_folder(root.parent) as folder:
        staged = folder / TREE
        _write_files(tree, staged / target.relative_to(root))
        if root.is_dir():
            staged.chmod(stat.S_IMODE(root.stat().st_mode))
        staged.rename(root)


def _add(tree: Tree, target: Path) -> None:
    """Adds the files of the tree to a folder, all or none."""
    missing = dict(_missing_files(tree, target))
    with staging_folder(target) as folder:
        staged = folder / TREE
        _write_files(missing, staged)
        folders = [name for name in _folders(missing) if not (target / name).exists()]
        hashes = {name: record(file).sha256 for name, file in missing.items()}
        write_journal(folder, Journal(hashes, folders))
        try:
            for name in folders:
                (target / name).mkdir()
            for name in missing:
                _place(staged / name, target / name)
            commit(folder)
        except BaseException:
            _take_back(target, folder)
            raise


def _take_back(target: Path, folder: Path) -> None:
    try:
        roll_back(target, folder)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DestinationError(
            f"{target} cannot be written, nor can what was added be removed: {reason}; "
            "the next run removes it"
        ) from None


def _missing_files(tree: Tree, target: Path) -> Iterator[tuple[str, RenderedFile]]:
    """The files that are not there yet; raises for all others at once unless they are the same."""
    collisions = []
    for name, file in tree.items():
        blocked = _blocked_by(target, name)
        if blocked is not None:
            collisions.append(blocked)
        elif not os.path.lexists(target / name):
            yield name, file
        elif not _is_same(target / name, file):
            collisions.append(name)
    if collisions:
        raise collision_error(target, list(dict.fromkeys(collisions)))


def _blocked_by(target: Path, name: str) -> str | None:
    """The parent of a file that is there but is no folder; a link may lead out of the project."""
    for parent in reversed(PurePosixPath(name).parents[:-1]):
        folder = target / parent
        if os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir()):
            return str(parent)
    return None


def _is_same(path: Path, file: RenderedFile) -> bool:
    return stat.S_ISREG(path.lstat().st_mode) and path.read_bytes() == file.content


def _folders(names: Iterable[str]) -> list[str]:
    """Every folder that the files stand in, outer ones first."""
    parents = {str(parent) for name in names for parent in PurePosixPath(name).parents[:-1]}
    return sorted(parents)


def _write_files(tree: Tree, folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in _folders(tree):
        (folder / name).mkdir()
    for name, file in tree.items():
        # The umask takes its bits from 0o666 and 0o777, as with any program that makes files.
        mode = 0o777 if file.mode & stat.S_IXUSR else 0o666
        descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(file.content)


def _place(staged: Path, final: Path) -> None:
    """Puts a file in its place, which must be free: a link, unlike a rename, never overwrites."""
    try:
        os.link(staged, final)
    except OSError as error:
        if error.errno not in NO_LINKS or os.path.lexists(final):
            raise
        staged.rename(final)
