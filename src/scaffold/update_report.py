"""How an update is shown: as text for people, as a patch, and as JSON for programs."""

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from scaffold.keys import shown
from scaffold.lock import PackRecord
from scaffold.migrate import Event
from scaffold.modes import git_mode
from scaffold.render import RenderedFile
from scaffold.report import Style, to_json
from scaffold.revision import Revision
from scaffold.update import FileChange, Update

NONE = "(none)"
KEY_WIDTH = 30
MOST_COMPARISONS = 25_000_000  # of lines with lines


def update_text(update: Update, *, is_written: bool, style: Style) -> str:
    """The plan of an update, or what it did: design, defaults, files, conflicts.

    The diff of each file is added where nothing was written.
    """
    lines = ["The templates are others than those that were applied last."] * update.is_newer
    lines += _pack_lines(update, style)
    lines += _migration_lines(update.events, style)
    lines += [*_design_lines(update.revision, style), *_default_lines(update.revision, style)]
    if update.files:
        lines.append(style.heading("Files:"))
        lines += [_file_line(change) for change in update.files]
    if update.conflicts:
        lines.append(style.heading("Conflicts:"))
        lines += [style.wrap(f"{path}: {why}", 2) for path, why in update.conflicts.items()]
    lines.append(_summary(update, is_written))
    text = "\n".join(lines) + "\n"
    return text if is_written else text + "".join(f"\n{_patch(file)}" for file in update.files)


def patch_text(update: Update) -> str:
    """The changes as a patch."""
    return "".join(_patch(change) for change in update.files)


def update_json(update: Update, *, is_written: bool) -> str:
    """The same as JSON; the diffs are there where nothing was written."""
    revision = update.revision
    return to_json(
        {
            "written": is_written,
            "newer_templates": update.is_newer,
            "migrations": [
                {
                    "tree": event.migration.tree or "scaffold",
                    "version": event.migration.version,
                    "reason": event.migration.reason,
                    "before": dict(event.before),
                    "after": dict(event.after),
                }
                for event in update.events
            ],
            "packs": [
                {
                    "id": _pack_id(before, now),
                    "before": None if before is None else _pack(before),
                    "after": None if now is None else _pack(now),
                }
                for before, now in update.packs
            ],
            "design": [
                {"key": item.key, "before": item.before, "after": item.after, "from": item.origin}
                for item in revision.changes
            ],
            "defaults": [
                {
                    "key": item.key,
                    "before": item.before,
                    "recommended": item.recommended,
                    "taken": item.is_taken,
                }
                for item in revision.defaults
            ],
            "files": [
                {
                    "path": file.path,
                    "verdict": file.verdict,
                    "source": file.source,
                    **({} if is_written else {"diff": _patch(file)}),
                }
                for file in update.files
            ],
            "conflicts": [{"path": path, "why": why} for path, why in update.conflicts.items()],
        }
    )


def revision_text(revision: Revision, style: Style) -> str:
    """What becomes of the design."""
    lines = [*_design_lines(revision, style), *_default_lines(revision, style)]
    return "\n".join(lines or ["The design stays as it is."]) + "\n"


def _migration_lines(events: Sequence[Event], style: Style) -> Iterator[str]:
    """What became of names, under the reason of each migration."""
    if events:
        yield style.heading("Names that the templates changed:")
    for title in dict.fromkeys(event.migration.title for event in events):
        mine = [event for event in events if event.migration.title == title]
        yield style.wrap(f"{title}: {mine[0].migration.reason}", 2)
        yield from (f"    {event.told}" for event in mine)


def _pack_lines(update: Update, style: Style) -> Iterator[str]:
    """The packs that changed: what differs of version, commit and reference; else the content."""
    if update.packs:
        yield style.heading("Packs:")
    for before, now in update.packs:
        if now is None:
            told = f"{'' if before is None else before.version} -> {NONE}"
        elif before is None:
            told = f"{NONE} -> {now.version}, {now.reference}"
        else:
            pairs = zip(_pack(before).values(), _pack(now).values(), strict=True)
            told = ", ".join(f"{was} -> {new}" for was, new in pairs if was != new)
        told = told if told.isprintable() else ascii(told)[1:-1]  # whole: a tag is at the end
        yield f"  {_pack_id(before, now):<{KEY_WIDTH}} {told or 'its files'}"


def _pack_id(before: PackRecord | None, now: PackRecord | None) -> str:
    """The id of a pack that is there before or now, or both."""
    return next(pack.id for pack in (before, now) if pack is not None)


def _pack(pack: PackRecord) -> dict[str, str]:
    return {"version": pack.version, "reference": pack.reference, "commit": pack.commit}


def _design_lines(revision: Revision, style: Style) -> Iterator[str]:
    if revision.changes:
        yield style.heading("Design:")
    for item in revision.changes:
        before = NONE if item.before is None else shown(item.before)
        after = NONE if item.after is None else shown(item.after)
        mark = f"  [{item.origin}]" if item.origin not in ("default", "gone") else ""
        yield f"  {item.key:<{KEY_WIDTH}} {before} -> {after}{mark}"


def _default_lines(revision: Revision, style: Style) -> Iterator[str]:
    if revision.defaults:
        yield style.heading("Defaults that the templates changed, of values nobody chose:")
    for item in revision.defaults:
        before, now = shown(item.before), shown(item.recommended)
        how = "taken" if item.is_taken else f"{before} stays; --take-defaults takes it"
        yield f"  {item.key:<{KEY_WIDTH}} {before} -> {now}  ({how})"


def _file_line(change: FileChange) -> str:
    name = change.path if change.source is None else f"{change.source} -> {change.path}"
    plus, minus = _counts(change)
    counts = f"  +{plus} -{minus}" if plus or minus else ""
    return f"  {change.verdict:<8}  {name}{counts}"


def _counts(change: FileChange) -> tuple[int, int]:
    """Lines added and taken away."""
    lines = [line[:1] for line in _patch(change).splitlines() if line[:3] not in ("+++", "---")]
    counts = Counter(lines)
    return counts["+"], counts["-"]


def _summary(update: Update, is_written: bool) -> str:
    changed = sum(change.before != change.after for change in update.files)
    conflicts = len(update.conflicts)
    if not update.steps:
        return "Nothing to do: the project is what scaffold.yaml says."
    if not update.files:
        return "No file of yours changes; the lock takes note of what is new."
    text = f"{changed} file(s) changed" if is_written else f"{changed} file(s) would change"
    text += f", {conflicts} conflict(s)" if conflicts else ""
    if not is_written:
        return f"{text}; nothing is written."
    if conflicts:
        return f"{text} to settle, then `scaffold check`; `scaffold update --undo` takes it back."
    return f"{text}; `scaffold update --undo` takes it back."


def _patch(change: FileChange) -> str:
    """The difference of one file with its verdict above it, as git writes it."""
    old, before, after = change.source or change.path, change.before, change.after
    lines = [f"# {change.verdict}: {change.path}\n"]
    if before == after and change.source is None:
        return lines[0]
    lines.append(f"diff --git a/{old} b/{change.path}\n")
    if before is None and after is not None:
        lines.append(f"new file mode {_mode(after)}\n")
    elif before is not None and after is None:
        lines.append(f"deleted file mode {_mode(before)}\n")
    elif before is not None and after is not None and before.mode != after.mode:
        lines += [f"old mode {_mode(before)}\n", f"new mode {_mode(after)}\n"]
    if change.source is not None:
        lines += [f"rename from {old}\n", f"rename to {change.path}\n"]
    if any(file is not None and not _is_text(file) for file in (before, after)):
        return "".join([*lines, f"Binary files a/{old} and b/{change.path} differ\n"])
    names = (
        "/dev/null" if before is None else f"a/{old}",
        "/dev/null" if after is None else f"b/{change.path}",
    )
    for line in _differences(_lines(before), _lines(after), *names):
        lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)


def _differences(old: list[str], new: list[str], old_name: str, new_name: str) -> Iterator[str]:
    """A unified diff; where one would take minutes, that all lines are replaced."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    if (len(old) - same) * (len(new) - same) <= MOST_COMPARISONS:
        yield from difflib.unified_diff(old, new, old_name, new_name)
        return
    yield f"--- {old_name}\n"
    yield f"+++ {new_name}\n"
    yield f"@@ -1,{len(old)} +1,{len(new)} @@\n"
    yield from (f"-{line}" for line in old)
    yield from (f"+{line}" for line in new)


def _mode(file: RenderedFile) -> str:
    return f"{git_mode(file.mode):06o}"


def _is_text(file: RenderedFile) -> bool:
    """Whether it can stand in a patch, whose output is UTF-8."""
    try:
        return "\0" not in file.content.decode()
    except UnicodeDecodeError:
        return False


def _lines(file: RenderedFile | None) -> list[str]:
    text = "" if file is None else file.content.decode()
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [
        line for line in text.split("\n")[-1:] if line
    ]
