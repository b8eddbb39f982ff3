"""Changes several files of a project at once: all or none, however the run ends.

What is to be written, and what is there now, is first kept below ``.scaffold/``; then a journal is
written; then the files change, each by one rename. The journal's end makes the change final. A
journal that is found belongs to a run that was killed: what it did is taken back, but for files
that were edited since. What was there before stays until the next time, for undoing.
"""

import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scaffold.base import is_safe
from scaffold.destination import busy_error, unwritable
from scaffold.errors import DestinationError
from scaffold.journal import JOURNAL, Journal, Record, State, journal_text, read_journal
from scaffold.modes import EXECUTABLE, LINK, PLAIN
from scaffold.render import RenderedFile
from scaffold.snapshot import read_file
from scaffold.staging import named_writer, sole_writer
from scaffold.streams import warn

ACTIVE = ".scaffold/transaction"
UNDO = ".scaffold/undo"
EARLIER = ".scaffold/undo.earlier"
OLD, NEW = "old", "new"


@contextmanager
def only_writer(project: Path) -> Iterator[None]:
    """Keeps other runs out of a project; raises DestinationError where one is about it.

    What a killed run had begun is taken back first, which is told; what is kept of it may be
    damaged, which is a DestinationError, too.
    """
    with ExitStack() as stack:
        try:
            if not stack.enter_context(sole_writer(project)):
                stack.enter_context(named_writer(project))
        except BlockingIOError:
            raise busy_error(project) from None
        _require_folders(project)
        warn(recover(project))
        yield


@dataclass(frozen=True)
class Step:
    """One file to change: what it is now and what it will be; None where there is none.

    ``permissions`` are those that it will have; 0 leaves them as they are, or to the umask.
    """

    path: str
    before: RenderedFile | None
    after: RenderedFile | None
    permissions: int = 0


def apply(project: Path, steps: Sequence[Step], *, keep_undo: bool = True) -> None:
    """Does all steps or none; the caller is the project's only writer.

    Raises DestinationError, with nothing changed, where a file is no longer what the step says, or
    the system refuses.
    """
    folder = project / ACTIVE
    # A file may have to go before a folder of its name can come, and the other way round.
    steps = sorted(steps, key=lambda step: step.after is not None)
    records = [_record(project, step) for step in steps]
    try:
        _prepare(folder, steps, records, is_undo=not keep_undo)
        for index, (step, item) in enumerate(zip(steps, records, strict=True)):
            if read_file(project / step.path) != step.before:
                raise DestinationError(
                    f"{step.path} was changed in the meantime; nothing was changed, run it again"
                )
            _perform(project, folder / NEW / str(index), item)
        _tidy(project, records)
        _commit(project, records, keep_undo)
    except OSError as error:
        _roll_back(project)
        raise unwritable(Path(error.filename2 or error.filename or project), error) from None
    except BaseException:
        _roll_back(project)
        raise
    try:
        recover(project)  # which now has nothing to do but to clear up
    except OSError:
        return  # the change is made, and what is left over is the next run's to clear up
    except KeyboardInterrupt as interrupt:
        interrupt.add_note("the change is made.")
        raise


def _require_folders(project: Path) -> None:
    """Raises DestinationError where links could lead out what is kept below ``.scaffold/``."""
    for name in (ACTIVE, UNDO, EARLIER):
        for folder in (project / name, project / name / OLD, project / name / NEW):
            if folder.is_symlink() or (os.path.lexists(folder) and not folder.is_dir()):
                raise DestinationError(f"{folder} must be a folder, and no link; remove it")


def _roll_back(project: Path) -> None:
    """Takes back what was done; where that fails too, the error says how far it has come."""
    try:
        recover(project)
    except BaseException as failure:
        failure.add_note("the project is half changed; the next `scaffold check` takes it back.")
        raise


def recover(project: Path) -> str:
    """Takes back what a killed run had begun; what to tell of that, if there was such a run."""
    folder = project / ACTIVE
    if folder.is_symlink() or not os.path.lexists(folder):
        _settle_undo(project, is_final=True)
        return ""
    journal = read_journal(folder, project)
    if journal is not None and journal.is_undo and not (project / UNDO).exists():
        _finish_undo(project)  # it was killed after its last file
        return "An undoing that did not come to its end is finished.\n"
    kept = []
    if journal is not None:
        for index, item in reversed(list(enumerate(journal.records))):
            if not _take_back(project, folder / OLD / str(index), item):
                kept.append(item.path)
        (folder / JOURNAL).unlink()
    _settle_undo(project, is_final=False)
    shutil.rmtree(folder)
    if journal is None:
        return ""  # it had changed nothing yet
    left = "".join(f"\n  {path} stays as it is: it was edited since" for path in sorted(kept))
    return f"An update that did not come to its end is taken back.{left}\n"


def read_undo(project: Path) -> list[Step]:
    """The steps that take the last change back; raises DestinationError where that cannot be.

    It cannot where a file was edited since, or where nothing is kept of a change.
    """
    folder = project / UNDO
    journal = None if folder.is_symlink() else read_journal(folder, project)
    if journal is None:
        raise DestinationError("there is no update to undo")
    steps = []
    edited = []
    for index, item in enumerate(journal.records):
        now = read_file(project / item.path)
        is_as_left = now is None if item.after is None else item.after.is_of(now)
        if not is_as_left or (now is None and os.path.lexists(project / item.path)):
            edited.append(item.path)
            continue
        if item.before is None:
            steps.append(Step(item.path, now, None))
            continue
        before = item.before.restored(read_file(folder / OLD / str(index)))
        if before is None:
            raise DestinationError(f"what {item.path} was before is damaged; nothing is undone")
        steps.append(Step(item.path, now, before, item.before.permissions))
    if edited:
        listed = "".join(f"\n  {path}" for path in edited)
        raise DestinationError(
            f"these files were edited since the update; nothing is undone:{listed}"
        )
    return steps


def _record(project: Path, step: Step) -> Record:
    assert is_safe(step.path), step.path
    parents = [str(parent) for parent in reversed(PurePosixPath(step.path).parents[:-1])]
    folders = tuple(name for name in parents if not (project / name).is_dir())
    path = project / step.path
    found = stat.S_IMODE(path.lstat().st_mode) if os.path.lexists(path) else 0
    return Record(
        path=step.path,
        before=None if step.before is None else State.of(step.before, found),
        after=None if step.after is None else State.of(step.after, _permissions(step, found)),
        folders=folders if step.after is not None else (),
    )


def _permissions(step: Step, found: int) -> int:
    """Those that the file has, but for the executable bits where these change; 0 for usual ones."""
    before, after = step.before, step.after
    if step.permissions:
        return step.permissions
    if after is None or before is None or LINK in (before.mode, after.mode):
        return 0
    if before.mode == after.mode:
        return found
    # Whoever may read it may run it.
    return found | (found & 0o444) >> 2 if after.mode == EXECUTABLE else found & ~0o111


def _prepare(
    folder: Path, steps: Sequence[Step], records: Sequence[Record], *, is_undo: bool
) -> None:
    """Keeps both sides of every step, then the journal: from there on there is what to undo."""
    (folder / OLD).mkdir(parents=True)
    (folder / NEW).mkdir()
    _write(folder / ".gitignore", RenderedFile(b"*\n", PLAIN), 0)
    for index, (step, item) in enumerate(zip(steps, records, strict=True)):
        if step.before is not None and item.before is not None:
            _write(folder / OLD / str(index), step.before, item.before.permissions)
        if step.after is not None and item.after is not None:
            _write(folder / NEW / str(index), step.after, item.after.permissions)
    text = journal_text(Journal(is_undo, records))
    draft = folder / f"{JOURNAL}.new"
    _write(draft, RenderedFile(text.encode(), PLAIN), 0)
    draft.rename(folder / JOURNAL)


def _write(path: Path, file: RenderedFile, permissions: int) -> None:
    """Writes a new file, durably; without permissions the umask decides, as for any program."""
    if file.mode == LINK:
        os.symlink(os.fsdecode(file.content), path)
        return
    usual = 0o777 if file.mode == EXECUTABLE else 0o666
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, usual)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(file.content)
        stream.flush()
        os.fsync(stream.fileno())
    if permissions:
        path.chmod(permissions)


def _perform(project: Path, new: Path, item: Record) -> None:
    target = project / item.path
    if item.after is not None:
        for name in item.folders:
            (project / name).mkdir(exist_ok=True)
        if item.before is None and target.is_dir():
            _remove_empty(target)
        os.replace(new, target)
    else:
        target.unlink()


def _remove_empty(folder: Path) -> None:
    """Removes a folder that holds nothing but empty folders, where a file takes its place."""
    for name in os.listdir(folder):
        _remove_empty(folder / name)
    folder.rmdir()


def _tidy(project: Path, records: Iterable[Record]) -> None:
    """Removes the folders that were left empty."""
    for item in records:
        for parent in PurePosixPath(item.path).parents[:-1] if item.after is None else ():
            folder = project / parent
            if folder.is_dir() and not os.listdir(folder):
                folder.rmdir()


def _commit(project: Path, records: Iterable[Record], keep_undo: bool) -> None:
    """Makes the change final; what is kept of it replaces what was kept of the one before."""
    for folder in {(project / item.path).parent for item in records}:
        _sync(folder)
    if os.path.lexists(project / UNDO):
        (project / UNDO).rename(project / EARLIER)
    if keep_undo:
        shutil.rmtree(project / ACTIVE / NEW)
        (project / ACTIVE).rename(project / UNDO)


def _finish_undo(project: Path) -> None:
    """Forgets the change that was undone; the journal of the undoing goes last."""
    _settle_undo(project, is_final=True)
    (project / ACTIVE / JOURNAL).unlink()
    shutil.rmtree(project / ACTIVE)


def _sync(folder: Path) -> None:
    """Makes the names in a folder durable, where the system can and the folder is still there."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _settle_undo(project: Path, is_final: bool) -> None:
    """What was kept of the change before goes, or comes back if the last one did not happen."""
    earlier = project / EARLIER
    if not os.path.lexists(earlier):
        return
    if is_final and earlier.is_symlink():
        earlier.unlink()
    elif is_final:
        shutil.rmtree(earlier)
    elif not os.path.lexists(project / UNDO):
        earlier.rename(project / UNDO)


def _take_back(project: Path, old: Path, item: Record) -> bool:
    """Brings one file back to what it was; not where somebody has edited it since."""
    target = project / item.path
    now = read_file(target)
    is_written = not os.path.lexists(target) if item.after is None else item.after.is_of(now)
    if not is_written:
        return now is None if item.before is None else item.before.is_of(now)
    if item.before is None:
        target.unlink()
        for name in reversed(item.folders):
            with suppress(OSError):  # it holds something of somebody else's
                (project / name).rmdir()
        return True
    target.parent.mkdir(parents=True, exist_ok=True)
    copy = old.with_name(f"{old.name}.back")
    with suppress(FileNotFoundError):
        copy.unlink()
    before = item.before.restored(read_file(old))
    if before is None:
        raise DestinationError(f"{item.path}: what it was before is damaged; it is not taken back")
    _write(copy, before, item.before.permissions)
    os.replace(copy, target)
    return True
