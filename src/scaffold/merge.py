"""Merges what the owner made of the pristine files with what they are to be now.

``base`` are the pristine files of the last time, ``yours`` those of the project, ``theirs`` the
pristine ones of now. No line of the owner's is lost: it is in the result, or the result is a
conflict that is told.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scaffold.conflict_marks import has_marks
from scaffold.git_merge import GitMerge, Objection, merge_trees
from scaffold.modes import LINK
from scaffold.render import RenderedFile, Tree

LINE_END, DOS_LINE_END = b"\n", b"\r\n"
MARKED = "you and the update changed the same lines; marks show where"
BINARY = "you and the update changed it, and it is not text; yours is kept"
DROPPED = "you changed or renamed it, and the update has no such file; yours is kept"
RENAMED = "you and the update gave the same file different names; both are there"
KINDS = "you made a link or a file of it, and the update changes it; yours is kept"
BESIDE = "what the update has for a file that you made a link, or the other way round"
RETURNED = "you deleted it, and the update changes it; it is back"


@dataclass(frozen=True)
class Merge:
    """The files that the project is to hold, of those that were looked at.

    ``conflicts`` says by path what the owner has to settle, ``renames`` which files (from, to) the
    update renamed, ``deleted`` which files of ``theirs`` the project does not get.
    """

    files: Tree
    conflicts: Mapping[str, str]
    renames: Mapping[str, str]
    deleted: tuple[str, ...]


def merge(base: Tree, yours: Tree, theirs: Tree, blocked: Mapping[str, str]) -> Merge:
    """The merge of three trees; ``blocked`` says of a path what is in its place that is no file."""
    if base == theirs:
        found = GitMerge(yours, (), {})
    else:
        found = _merge_lines(base, yours, theirs)
    files = dict(found.files)
    conflicts = _conflicts(found.objections, yours, files)
    for path, obstacle in blocked.items():
        if files.pop(path, None) is not None:
            conflicts[path] = f"it is not written: {obstacle}, which you made, is in its place"
    return Merge(
        files=files,
        conflicts=dict(sorted(conflicts.items())),
        renames=found.renames,
        deleted=tuple(path for path in theirs if path not in files),
    )


def _merge_lines(base: Tree, yours: Tree, theirs: Tree) -> GitMerge:
    """git's merge, in which files with other line ends than ours are compared without them."""
    pristine = {path: (base.get(path), theirs.get(path)) for path in yours}
    dos = {
        path
        for path, file in yours.items()
        if _has_dos_lines(file) and not any(side and _is_dos(side) for side in pristine[path])
    }
    plain = {
        path: _replaced(file, DOS_LINE_END, LINE_END) if path in dos else file
        for path, file in yours.items()
    }
    found = merge_trees(base, plain, theirs)
    dos |= {new for old, new in found.renames.items() if old in dos and new not in yours}
    files = {
        path: _replaced(file, LINE_END, DOS_LINE_END) if path in dos else file
        for path, file in found.files.items()
    }
    return GitMerge(files, found.objections, found.renames)


def _is_dos(file: RenderedFile) -> bool:
    return DOS_LINE_END in file.content


def _has_dos_lines(file: RenderedFile) -> bool:
    """Whether every line of a text ends in CR LF, so that it can be taken away and given back."""
    count = file.content.count(LINE_END)
    is_text = file.mode != LINK and b"\0" not in file.content
    return is_text and count > 0 and file.content.count(DOS_LINE_END) == count


def _replaced(file: RenderedFile, old: bytes, new: bytes) -> RenderedFile:
    return RenderedFile(file.content.replace(old, new), file.mode)


def _conflicts(objections: Iterable[Objection], yours: Tree, files: Tree) -> dict[str, str]:
    """One text for each path that git objects to; that of the marks goes before others."""
    conflicts: dict[str, str] = {}
    for objection in objections:
        for path in [path for path in objection.paths if path in files] or objection.paths[:1]:
            text = _text(objection, path, yours, files)
            if text == MARKED or path not in conflicts:
                conflicts[path] = text
    return conflicts


def _text(objection: Objection, path: str, yours: Tree, files: Tree) -> str:
    after, before = files.get(path), yours.get(path)
    if after is not None and has_marks(after.content) and after != before:
        return MARKED
    if "delete" in objection.kind:
        return DROPPED if before == after else RETURNED
    if objection.kind == "CONFLICT (rename/rename)":
        return RENAMED
    if objection.kind == "CONFLICT (distinct modes)":
        return KINDS if path in yours else BESIDE
    if objection.kind in ("CONFLICT (binary)", "CONFLICT (contents)") and before == after:
        return BINARY
    return objection.message.removeprefix("CONFLICT ").rstrip(".")
