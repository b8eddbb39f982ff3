"""Reads trees of template files into memory: no later stage but the last touches the disk."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from scaffold.errors import TemplateError
from scaffold.modes import EXECUTABLE, PLAIN

IGNORED_NAMES = frozenset(
    {"__pycache__", ".ruff_cache", ".mypy_cache", ".pytest_cache", ".DS_Store"}
)
IGNORED_SUFFIXES = (".pyc", ".pyo")


@dataclass(frozen=True)
class Source:
    """One template file: where it lies, what it holds, and the mode its output gets."""

    path: Path
    content: bytes
    mode: int

    @cached_property
    def text(self) -> str:
        """The content as text with ``\\n`` line ends; raises TemplateError if it is not UTF-8."""
        try:
            text = self.content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise TemplateError(f"{self.path}: not UTF-8 text: {error}") from None
        return text.replace("\r\n", "\n")


def read_tree(root: Path) -> dict[str, Source]:
    """Every file below ``root`` by its path from there, sorted; raises TemplateError."""
    if not root.is_dir():
        raise TemplateError(f"{root}: is no folder with templates")
    return {path: source for path, source in sorted(_walk(root, ""))}


def _walk(folder: Path, prefix: str) -> Iterator[tuple[str, Source]]:
    for entry in os.scandir(folder):
        if entry.name in IGNORED_NAMES or entry.name.endswith(IGNORED_SUFFIXES):
            continue
        path = folder / entry.name
        if entry.is_symlink():
            raise TemplateError(f"{path}: is a link; a template tree holds files only")
        if entry.is_dir():
            yield from _walk(path, f"{prefix}{entry.name}/")
        else:
            # Not every file system that the tree was unpacked on keeps the bit.
            is_executable = entry.name.removesuffix(".jinja").endswith(".sh") or bool(
                entry.stat().st_mode & stat.S_IXUSR
            )
            mode = EXECUTABLE if is_executable else PLAIN
            yield f"{prefix}{entry.name}", Source(path, path.read_bytes(), mode)
