"""The journal of a change to a project: what each file was and becomes, written to be read back.

It lies in the project, and so may come from anybody: no path in it leads out of the project.
"""

import json
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scaffold.base import is_safe
from scaffold.errors import DestinationError
from scaffold.lock import record
from scaffold.modes import EXECUTABLE, LINK, PLAIN
from scaffold.render import RenderedFile

JOURNAL = "journal.json"
LARGEST = 64 * 2**20  # bytes
KINDS = {"plain": PLAIN, "executable": EXECUTABLE, "link": LINK}


@dataclass(frozen=True)
class State:
    """What the journal says of a file: its kind, its content's sha256, its permissions."""

    kind: str
    sha256: str
    permissions: int

    @classmethod
    def of(cls, file: RenderedFile, permissions: int) -> "State":
        """The state of a file."""
        kind = next(name for name, mode in KINDS.items() if mode == file.mode)
        return cls(kind, record(file).sha256, permissions)

    def is_of(self, file: RenderedFile | None) -> bool:
        """Whether a file is in this state; its permissions may be others."""
        return (
            file is not None
            and KINDS[self.kind] == file.mode
            and record(file).sha256 == self.sha256
        )

    def restored(self, kept: RenderedFile | None) -> RenderedFile | None:
        """The file of this state from what was kept of it; None where that is damaged."""
        file = None if kept is None else RenderedFile(kept.content, KINDS[self.kind])
        return file if self.is_of(file) else None


@dataclass(frozen=True)
class Record:
    """A step as the journal has it, with the folders that are made for it, outer ones first."""

    path: str
    before: State | None
    after: State | None
    folders: tuple[str, ...]


@dataclass(frozen=True)
class Journal:
    """What a change consists of, and whether it takes back the one that is kept."""

    is_undo: bool
    records: Sequence[Record]


def journal_text(journal: Journal) -> str:
    """The journal as JSON."""
    steps = [
        {
            "path": item.path,
            "before": None if item.before is None else vars(item.before),
            "after": None if item.after is None else vars(item.after),
            "folders": list(item.folders),
        }
        for item in journal.records
    ]
    return json.dumps({"is_undo": journal.is_undo, "steps": steps})


def read_journal(folder: Path, project: Path) -> Journal | None:
    """The journal in a folder, None where there is none; raises DestinationError for a bad one."""
    try:
        path = folder / JOURNAL
        if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
            raise ValueError("it is no ordinary file")
        if path.stat().st_size > LARGEST:
            raise ValueError(f"it has more than {LARGEST} bytes")
        data = json.loads(path.read_text(encoding="utf-8"))
        journal = Journal(bool(data["is_undo"]), [_from_json(item) for item in data["steps"]])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise DestinationError(
            f"{folder / JOURNAL} is damaged ({error}); remove {folder}"
        ) from None
    for item in journal.records:
        parents = [project / parent for parent in PurePosixPath(item.path).parents[:-1]]
        inner = {str(parent) for parent in PurePosixPath(item.path).parents}
        is_inside = is_safe(item.path) and inner.issuperset(item.folders)
        if not is_inside or any(parent.is_symlink() for parent in parents):
            raise DestinationError(f"{folder / JOURNAL} names {item.path!r}; remove {folder}")
    return journal


def _from_json(item: Mapping[str, object]) -> Record:
    folders = item["folders"]
    if not isinstance(folders, list):
        raise TypeError("folders must be a list")
    before, after = (_state_from(item[name]) for name in ("before", "after"))
    return Record(str(item["path"]), before, after, tuple(map(str, folders)))


def _state_from(data: object) -> State | None:
    if data is None:
        return None
    if not isinstance(data, dict) or data.get("kind") not in KINDS:
        raise TypeError("a state must have a kind")
    return State(str(data["kind"]), str(data["sha256"]), int(data["permissions"]) & 0o7777)
