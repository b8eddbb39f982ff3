"""The base archive: the pristine files of the last render, byte for byte the same everywhere."""

import bz2
import io
import tarfile
from pathlib import PurePosixPath

from scaffold.errors import ScaffoldError
from scaffold.modes import EXECUTABLE, PLAIN
from scaffold.render import RenderedFile, Tree

# Bounds on what a damaged archive can do, and on what may become of a project.
LARGEST_BASE = 256 * 2**20  # bytes, all files together
MOST_FILES = 10_000
MODES = (PLAIN, EXECUTABLE)


class BaseError(ScaffoldError):
    """The base archive of a project is damaged, or no base archive at all."""


def base_archive(tree: Tree) -> bytes:
    """The tree as a .tar.bz2: sorted by path, without times and owners.

    Raises BaseError for one that could not be read back.
    """
    if len(tree) > MOST_FILES:
        raise BaseError(f"the project would have more than {MOST_FILES} files")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, file in sorted(tree.items()):
            entry = tarfile.TarInfo(path)
            entry.size = len(file.content)
            entry.mode = file.mode
            archive.addfile(entry, io.BytesIO(file.content))
    if buffer.tell() > LARGEST_BASE:
        raise BaseError(f"the project would have more than {LARGEST_BASE} bytes")
    return bz2.compress(buffer.getvalue())


def read_base(content: bytes) -> Tree:
    """The tree of an archive; raises BaseError for what ``base_archive`` would not write."""
    try:
        unpacked = bz2.BZ2Decompressor().decompress(content, LARGEST_BASE + 1)
        if len(unpacked) > LARGEST_BASE:
            raise BaseError(f"the base archive holds more than {LARGEST_BASE} bytes")
        with tarfile.open(fileobj=io.BytesIO(unpacked), mode="r:") as archive:
            return _files(archive)
    except (OSError, EOFError, ValueError, RecursionError, tarfile.TarError) as error:
        raise BaseError(f"the base archive is damaged: {error}") from None


def _files(archive: tarfile.TarFile) -> Tree:
    tree: dict[str, RenderedFile] = {}
    for entry in archive:
        # A sparse file of a few bytes can be read as one of any length.
        is_plain = entry.isreg() and not entry.issparse()
        stream = archive.extractfile(entry) if is_plain else None
        if stream is None or entry.mode not in MODES:
            raise BaseError(f"the base archive holds {entry.name!r}, which is no ordinary file")
        if not is_safe(entry.name) or entry.name in tree:
            raise BaseError(f"the base archive holds the path {entry.name!r}")
        if len(tree) == MOST_FILES:
            raise BaseError(f"the base archive holds more than {MOST_FILES} files")
        tree[entry.name] = RenderedFile(stream.read(), entry.mode)
    if not tree:
        raise BaseError("the base archive is empty")
    return tree


def is_safe(path: str) -> bool:
    """Whether a path of a tree stays inside the project on every system, and out of ``.git``."""
    pieces = path.split("/")
    has_odd_piece = any(
        piece in ("", ".", "..") or piece.casefold() == ".git" or piece != piece.rstrip(" .")
        for piece in pieces
    )
    has_odd_character = any(not char.isprintable() or char in '\\:<>"|?*' for char in path)
    return not (has_odd_piece or has_odd_character or PurePosixPath(path).is_absolute())
