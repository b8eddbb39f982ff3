"""What sets a project apart from what was applied to it: read only, and fast enough for CI."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scaffold import __version__
from scaffold.applied import is_by_newer_tool, read_design_text, written_values
from scaffold.catalogue import Catalogue
from scaffold.conflict_marks import has_marks
from scaffold.keys import shown
from scaffold.lock import FileRecord, Lock
from scaffold.merge import MARKED
from scaffold.migrated import bring
from scaffold.modes import LINK
from scaffold.records import BASE_PATH, DESIGN_PATH, LOCK_PATH
from scaffold.render import RenderedFile
from scaffold.revision import edited, flat_values, left_out
from scaffold.snapshot import only_mode, take_snapshot

Kind = Literal["template", "migration", "design", "missing", "deleted", "edited", "conflict"]
DUE = (
    "template",
    "migration",
    "design",
    "missing",
)  # for these an update, or the owner, has to do something


@dataclass(frozen=True)
class Finding:
    """One difference: ``subject`` is a path, a key or a version, ``text`` what is to be said."""

    kind: Kind
    subject: str
    text: str


def find_all(catalogue: Catalogue, lock: Lock, project: Path) -> tuple[Finding, ...]:
    """All differences; raises ScaffoldError where the project cannot be read."""
    current = bring(catalogue, lock, written_values(read_design_text(project)))
    return (
        *_of_templates(catalogue, lock),
        *(
            Finding("migration", e.migration.title, f"{e.told}: {e.migration.reason}")
            for e in current.events
        ),
        *_of_design(current.lock, current.written),
        *_of_files(lock, project),
    )


def _of_templates(catalogue: Catalogue, lock: Lock) -> Iterator[Finding]:
    if catalogue.digest != lock.catalogue:
        age = "older than those applied" if is_by_newer_tool(lock) else "not applied yet"
        whose = f"this scaffold ({__version__}){' and its packs' if lock.packs else ''}"
        text = f"the templates of {whose} are {age}"
        yield Finding("template", lock.tool, text)


def _of_design(lock: Lock, written: Mapping[str, str]) -> Iterator[Finding]:
    locked = flat_values(lock.project, lock.choices)
    for key, text in edited(lock, written).items():
        before = shown(locked[key]) if key in locked else "(none)"
        yield Finding("design", key, f"{before} -> {shown(text)} is not applied yet")
    for key in left_out(lock, written):
        text = f"{shown(locked[key])} was taken out, which is not applied yet"
        yield Finding("design", key, text)


def _of_files(lock: Lock, project: Path) -> Iterator[Finding]:
    if not (project / BASE_PATH).is_file():
        yield Finding("missing", BASE_PATH, "is not there; restore it, no update works without it")
    paths = dict.fromkeys([*lock.files, *lock.left.conflicts])
    files = take_snapshot(project, paths).files
    has_modes = only_mode(project / LOCK_PATH) is None
    for path in paths:
        file, why = files.get(path), lock.left.conflicts.get(path)
        is_edited = (
            path in lock.files and file is not None and not _is(file, lock.files[path], has_modes)
        )
        if file is not None and why and has_marks(file.content):
            yield Finding("conflict", path, "holds conflict marks")
        elif why is not None and why != MARKED:
            yield Finding("conflict", path, f"{why}; `scaffold update` says that it is settled")
        elif file is None and path in lock.left.deleted:
            yield Finding("deleted", path, "you deleted or renamed it")
        elif file is None and path in lock.files:
            yield Finding("missing", path, "is not there; `scaffold update` takes note of it")
        elif is_edited and path != DESIGN_PATH:
            yield Finding("edited", path, "you edited it")


def _is(file: RenderedFile, recorded: FileRecord, has_modes: bool) -> bool:
    """Whether a file is as it was written, in whatever line ends a checkout gave it."""
    contents = (file.content, file.content.replace(b"\r\n", b"\n"))
    hashes = [hashlib.sha256(content).hexdigest() for content in contents]
    is_of_mode = file.mode == recorded.mode or (file.mode != LINK and not has_modes)
    return is_of_mode and recorded.sha256 in hashes
