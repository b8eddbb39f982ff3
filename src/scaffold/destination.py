"""Where a project goes: what a path given by the user means, and whether a project may go there."""

import os
from dataclasses import dataclass
from pathlib import Path

from scaffold.errors import DestinationError


@dataclass(frozen=True)
class Destination:
    """A folder to write to: an absolute path without links.

    ``root`` is the first folder of the path that does not exist yet, or None if the folder exists.
    """

    path: Path
    root: Path | None


def find_destination(path: Path) -> Destination:
    """The folder that a path names, followed through links.

    Raises DestinationError where it is, or passes through, something that is no folder, and where
    the system does not let us look.
    """
    try:
        folder = Path(os.path.realpath(path))
        if os.path.lexists(folder) or path.is_symlink():
            if not folder.exists():
                raise DestinationError(f"{path} is a link to {folder}, which does not exist")
            if not folder.is_dir():
                raise DestinationError(f"{path} is a file; give a folder")
            return Destination(folder, None)
        root = folder
        while not os.path.lexists(root.parent):
            root = root.parent
        if not root.parent.is_dir():
            raise DestinationError(f"{path} cannot be made: {root.parent} is no folder")
    except ValueError as error:
        raise DestinationError(f"{path!r} is no path: {error}") from None
    except OSError as error:
        raise unwritable(path, error) from None
    return Destination(folder, root)


def unwritable(path: Path, error: OSError) -> DestinationError:
    """The error for a folder that the system does not let us write to."""
    reason = error.strerror or str(error)
    return DestinationError(f"{path} cannot be written: {reason}; nothing was changed")


def busy_error(path: Path) -> DestinationError:
    """The error for a folder that another run is adding files to."""
    return DestinationError(f"another scaffold command is writing to {path}; wait until it is done")


def collision_error(path: Path, collisions: list[str]) -> DestinationError:
    """The error that names every file which is in the way."""
    listed = "".join(f"\n  {name}" for name in collisions)
    return DestinationError(
        f"{path} holds other files where the project has its own; move them away, or write "
        f"elsewhere; nothing was changed:{listed}"
    )


def not_empty_error(path: Path) -> DestinationError:
    """The error for a folder with files in it."""
    return DestinationError(
        f"{path} is not empty; give another folder, or --force to add the project's files beside "
        "those (none is overwritten)"
    )
