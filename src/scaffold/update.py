"""What an update would change in a project, worked out in memory for preview and writing alike."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from scaffold import __version__
from scaffold.answer_file import parse_answer_text
from scaffold.applied import Applied, is_by_newer_tool, read_design_text, written_values
from scaffold.conflict_marks import has_marks
from scaffold.decisions import decide
from scaffold.design import Value
from scaffold.design_edit import with_values
from scaffold.errors import DesignError, DestinationError
from scaffold.estimates import estimate
from scaffold.lock import Left, Lock, LockError, PackRecord, make_lock, record_files, with_design
from scaffold.merge import Merge, merge
from scaffold.migrate import Event, migrate
from scaffold.migrated import bring, renamed
from scaffold.packs import Loaded, make_tree
from scaffold.plan import make_plan
from scaffold.records import BASE_PATH, DESIGN_PATH, LOCK_PATH
from scaffold.render import RenderedFile, Tree
from scaffold.revision import Revision, flat_values, revise
from scaffold.scalars import stands_for
from scaffold.snapshot import find_moved, only_mode, read_file, take_snapshot, with_mode
from scaffold.transaction import Step

Verdict = Literal["added", "updated", "merged", "renamed", "removed", "conflict"]


@dataclass(frozen=True)
class FileChange:
    """What an update does to one file; ``source`` is the name that a renamed one had."""

    path: str
    verdict: Verdict
    before: RenderedFile | None
    after: RenderedFile | None
    source: str | None = None


@dataclass(frozen=True)
class Update:
    """An update that is worked out, and not applied yet.

    ``files`` are the changes to the owner's files, ``steps`` those and what records them;
    ``is_newer`` says whether the templates are others than those that were applied; ``events``
    are what migrations did to its names; ``packs`` are those that changed, as they were recorded
    (None for a new one) and as they are now.
    """

    revision: Revision
    files: tuple[FileChange, ...]
    conflicts: Mapping[str, str]
    steps: tuple[Step, ...]
    is_newer: bool
    events: tuple[Event, ...] = ()
    packs: tuple[tuple[PackRecord | None, PackRecord | None], ...] = ()


def plan_update(
    loaded: Loaded,
    applied: Applied,
    project: Path,
    flags: Mapping[str, str],
    *,
    take_defaults: bool,
) -> Update:
    """Works out the update of a project; reads its files, and writes nothing.

    Raises ScaffoldError where the design is wrong, or where conflicts of an earlier update are not
    settled yet.
    """
    lock, catalogue = applied.lock, loaded.catalogue
    if catalogue.digest != lock.catalogue and is_by_newer_tool(lock):
        raise LockError(
            f"scaffold {lock.tool} last updated this project; this is {__version__}, upgrade it"
        )
    text = read_design_text(project)
    current = bring(catalogue, lock, written_values(text))
    asked = migrate(catalogue.migrations, {}, flags)
    if asked.problems:
        raise DesignError(asked.problems)
    revision = revise(
        catalogue, current.lock, current.written, asked.texts, take_defaults=take_defaults
    )
    design = revision.design
    plan = make_plan(catalogue, design, decide(catalogue, design), estimate(catalogue, design))
    rendered = with_design(plan, make_tree(loaded, plan))
    locked = make_lock(catalogue, plan, rendered, loaded.recorded(project))

    mode = only_mode(project / LOCK_PATH)
    base, theirs = with_mode(applied.base, mode), with_mode(rendered, mode)
    snapshot = take_snapshot(project, dict.fromkeys([*base, *theirs]))
    if DESIGN_PATH not in snapshot.files or snapshot.files[DESIGN_PATH].content != text.encode():
        raise DestinationError(f"{DESIGN_PATH} was changed in the meantime; run it again")
    _refuse_marks(take_snapshot(project, lock.left.conflicts).files)
    changed = {path for path, file in base.items() if theirs.get(path) != file}
    missing = {path: base[path] for path in sorted(changed) if path not in snapshot.files}
    yours = {**snapshot.files, **find_moved(project, missing, {*base, *theirs})}
    writing = _Writing(
        values=flat_values(design.project, design.choices),
        revision=revision,
        before=current.lock,
        after=locked,
        pristine=renamed(catalogue, lock, base[DESIGN_PATH].content.decode()),
    )
    own_text = writing.rewrite(renamed(catalogue, lock, text))
    own = RenderedFile(own_text.encode(), snapshot.files[DESIGN_PATH].mode)
    if not writing.says(own_text):
        raise DestinationError(
            f"{DESIGN_PATH} cannot be edited in its place; write each value of it on one line"
        )
    pristine = writing.rewrite(writing.pristine)
    merged = merge(
        {**base, DESIGN_PATH: RenderedFile(pristine.encode(), base[DESIGN_PATH].mode)},
        {**yours, DESIGN_PATH: own},
        theirs,
        snapshot.blocked,
    )
    merged = _beside(project, _with_own_design(merged, own, writing), yours)
    left = Left(merged.deleted, merged.conflicts, revision.remembered)
    records = with_mode(record_files(replace(locked, left=left), rendered), mode)
    files = tuple(_file_changes(base, yours, theirs, merged))
    return Update(
        revision=revision,
        files=files,
        conflicts=merged.conflicts,
        steps=(*_steps(yours, merged.files), *_record_steps(project, records)),
        is_newer=catalogue.digest != lock.catalogue,
        events=(*current.events, *asked.events),
        packs=tuple(_changed_packs(lock, locked)),
    )


@dataclass(frozen=True)
class _Writing:
    """How scaffold.yaml comes to say what is applied."""

    values: Mapping[str, Value]
    revision: Revision
    before: Lock
    after: Lock
    pristine: str

    def rewrite(self, text: str) -> str:
        """A scaffold.yaml with the new values in it."""
        return with_values(text, self.values, self.may_lack, self.pristine)

    def may_lack(self, key: str) -> bool:
        """Whether the file need not name a key: its owner took it out, and it is at its default."""
        was_there = key in flat_values(self.before.project, self.before.choices)
        return was_there and key not in self.revision.written and key in self.after.at_default

    def says(self, text: str) -> bool:
        """Whether a scaffold.yaml says what is applied, no more and no less."""
        found = parse_answer_text(text, DESIGN_PATH, Path(DESIGN_PATH))
        return (
            not found.problems
            and all(
                key in self.values and stands_for(raw, self.values[key])
                for key, raw in found.values.items()
            )
            and all(key in found.values or self.may_lack(key) for key in self.values)
        )


def _changed_packs(
    before: Lock, after: Lock
) -> Iterator[tuple[PackRecord | None, PackRecord | None]]:
    recorded = {pack.id: pack for pack in before.packs}
    for pack in after.packs:
        if recorded.get(pack.id) != pack:
            yield recorded.get(pack.id), pack
    left = {pack.id for pack in after.packs}
    yield from ((pack, None) for pack in before.packs if pack.id not in left)


def _with_own_design(merged: Merge, own: RenderedFile, writing: _Writing) -> Merge:
    """The merge, in which scaffold.yaml is never a conflict.

    All sides of it have the same values. Where its comments do not merge, the owner's stay.
    """
    file = merged.files.get(DESIGN_PATH)
    is_merged = DESIGN_PATH not in merged.conflicts and file is not None
    if file is not None and is_merged and writing.says(file.content.decode()):
        return merged
    conflicts = {path: why for path, why in merged.conflicts.items() if path != DESIGN_PATH}
    return replace(merged, files={**merged.files, DESIGN_PATH: own}, conflicts=conflicts)


def _beside(project: Path, merged: Merge, yours: Tree) -> Merge:
    """The merge without files that git would put down under a name that somebody has taken.

    Where a file became a link, its new text goes to a file beside it, such as ``x~theirs``.
    """
    new = [path for path in merged.files if path not in yours]
    there = take_snapshot(project, new).files
    files = {path: file for path, file in merged.files.items() if path not in there}
    taken = "it is there already, and is not written over; remove it, or settle it by hand"
    conflicts = {
        path: taken for path, file in there.items() if file.content != merged.files[path].content
    }
    conflicts = dict(sorted({**merged.conflicts, **conflicts}.items()))
    return replace(merged, files=files, conflicts=conflicts)


def _refuse_marks(yours: Tree) -> None:
    """Raises where a conflict is not settled: merging on top would tear it apart."""
    marked = [path for path, file in yours.items() if has_marks(file.content)]
    if marked:
        listed = "".join(f"\n  {path}" for path in marked)
        raise DestinationError(f"conflicts are left, settle them first:{listed}")


def _file_changes(base: Tree, yours: Tree, theirs: Tree, merged: Merge) -> Iterable[FileChange]:
    """The files that change or are in conflict, by path."""
    sources = {new: old for old, new in merged.renames.items() if new in merged.files}
    gone = {old for new, old in sources.items() if new not in yours}
    for path in sorted({*yours, *merged.files, *merged.conflicts}):
        before, after = yours.get(path), merged.files.get(path)
        if path in merged.conflicts:
            yield FileChange(path, "conflict", before, after)
        elif before == after or (after is None and path in gone):
            continue
        elif path in sources and before is None and sources[path] in yours:
            yield FileChange(path, "renamed", yours[sources[path]], after, sources[path])
        elif before is None or after is None:
            yield FileChange(path, "added" if before is None else "removed", before, after)
        else:
            is_pristine = before == base.get(path) or after == theirs.get(path)
            yield FileChange(path, "updated" if is_pristine else "merged", before, after)


def _steps(yours: Tree, files: Tree) -> Iterable[Step]:
    for path in sorted({*yours, *files}):
        before, after = yours.get(path), files.get(path)
        if before != after:
            yield Step(path, before, after)


def _record_steps(project: Path, records: Tree) -> Iterable[Step]:
    """The steps for the lock and the archive, which stay as they are where nothing changed."""
    for path in (BASE_PATH, LOCK_PATH):
        before = read_file(project / path)
        if before is None or before.content != records[path].content:
            yield Step(path, before, records[path])
