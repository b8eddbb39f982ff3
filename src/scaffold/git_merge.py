"""git's own three-way merge, in a repository of its own that is gone afterwards.

Nothing of the project is touched, not even its repository: three commits are made from contents in
memory. git's settings and attributes, of the user and of the system, are kept out.
"""

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scaffold.conflict_marks import THEIRS, YOURS
from scaffold.git import Git, GitError
from scaffold.modes import LINK, git_mode
from scaffold.render import RenderedFile, Tree

OLDEST = (2, 38)  # the first with `git merge-tree --write-tree`
GIT = Git(
    seconds=300,
    settings=(
        ("core.attributesFile", os.devnull),
        ("core.hooksPath", os.devnull),
        ("merge.conflictStyle", "merge"),
        ("merge.directoryRenames", "false"),
        ("merge.renames", "true"),
        ("merge.renameLimit", "10000"),
        ("diff.renameLimit", "10000"),
    ),
    variables={"GIT_DIR": "."},
    ignores_user=True,
)
VERSION = re.compile(r"git version (\d+)\.(\d+)")


@dataclass(frozen=True)
class Objection:
    """What git says of a conflict: its short name for the kind, and the paths it is about."""

    kind: str
    paths: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class GitMerge:
    """The merged files, git's conflicts, and (from, to) of the files that ``theirs`` renamed."""

    files: Tree
    objections: tuple[Objection, ...]
    renames: Mapping[str, str]


def merge_trees(base: Tree, yours: Tree, theirs: Tree) -> GitMerge:
    """Merges what ``yours`` and ``theirs`` made of ``base``; a pure function of the three."""
    _check_version()
    with tempfile.TemporaryDirectory(prefix="scaffold-merge-") as name:
        folder = Path(name)
        _output(folder, "init", "--quiet", "--bare", "--template=", "--object-format=sha1", ".")
        stream = b"".join(_commits(base, yours, theirs))
        _output(folder, "fast-import", "--quiet", "--done", given=stream)
        command = ("merge-tree", "--write-tree", "-z")
        output = _output(folder, *command, YOURS, THEIRS, allowed=(0, 1))
        tree, objections = _parse_merge(output)
        return GitMerge(
            files=_read_tree(folder, tree, yours, theirs),
            objections=objections,
            renames=_renames(folder, base, theirs),
        )


def _check_version() -> None:
    try:
        output = _output(Path("/"), "version").decode(errors="replace").strip()
    except GitError as error:
        raise GitError(f"git is needed to merge: {error}") from None
    match = VERSION.match(output)
    if match is None or (int(match[1]), int(match[2])) < OLDEST:
        wanted = ".".join(map(str, OLDEST))
        raise GitError(f"git {wanted} or newer is needed to merge; this is: {output}")


def _commits(base: Tree, yours: Tree, theirs: Tree) -> Iterator[bytes]:
    """The stream of `git fast-import` that makes the three commits."""
    marks: dict[bytes, int] = {}
    for tree in (base, yours, theirs):
        for file in tree.values():
            if file.content not in marks:
                marks[file.content] = len(marks) + 2
                yield b"blob\nmark :%d\n" % marks[file.content]
                yield b"data %d\n%s\n" % (len(file.content), file.content)
    for name, tree in (("base", base), (YOURS, yours), (THEIRS, theirs)):
        yield b"commit refs/heads/%s\n" % name.encode()
        yield b"mark :1\n" if name == "base" else b""
        yield b"committer scaffold <scaffold@localhost> 0 +0000\ndata 0\n"
        yield b"" if name == "base" else b"from :1\ndeleteall\n"
        for path, file in tree.items():
            yield b"M %06o :%d %s\n" % (git_mode(file.mode), marks[file.content], _quoted(path))
        yield b"\n"
    yield b"done\n"


def _quoted(path: str) -> bytes:
    return b'"' + path.replace("\\", "\\\\").replace('"', '\\"').encode() + b'"'


def _parse_merge(output: bytes) -> tuple[str, tuple[Objection, ...]]:
    """The tree, and the messages after the list of conflicted files, of `git merge-tree -z`."""
    tokens = output.decode(errors="surrogateescape").split("\0")
    tree = tokens[0]
    objections: list[Objection] = []
    rest = iter(tokens[tokens.index("", 1) + 1 :] if "" in tokens[1:] else [])
    for count in rest:
        if not count.isdigit():
            break
        paths = tuple(next(rest) for _ in range(int(count)))
        kind, message = next(rest), next(rest)
        if kind.startswith("CONFLICT"):
            objections.append(Objection(kind, paths, " ".join(message.split())))
    return tree, tuple(objections)


def _read_tree(folder: Path, tree: str, yours: Tree, theirs: Tree) -> Tree:
    """The files of a tree; only what neither side has in memory is read back."""
    listed = _output(folder, "ls-tree", "-r", "-z", "--full-tree", tree)
    entries: dict[str, tuple[int, str]] = {}
    for line in listed.decode(errors="surrogateescape").split("\0")[:-1]:
        facts, _, path = line.partition("\t")
        mode, _, name = facts.split()
        entries[path] = (int(mode, 8), name)
    contents = {_name(f.content): f.content for side in (yours, theirs) for f in side.values()}
    wanted = list(dict.fromkeys(n for _, n in entries.values() if n not in contents))
    for name, content in zip(wanted, GIT.read_blobs(folder, wanted), strict=True):
        if content is None:
            raise GitError(f"git has no object {name} of its own merge")
        contents[name] = content
    return {
        path: RenderedFile(contents[name], mode if mode == LINK else mode & 0o777)
        for path, (mode, name) in entries.items()
    }


def _name(content: bytes) -> str:
    """What git calls a blob."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _renames(folder: Path, base: Tree, theirs: Tree) -> dict[str, str]:
    if base.keys() <= theirs.keys() or theirs.keys() <= base.keys():
        return {}
    command = ("diff-tree", "-r", "-z", "--find-renames", "--name-status", "--diff-filter=R")
    tokens = _output(folder, *command, "base", THEIRS).decode(errors="surrogateescape").split("\0")
    return dict(zip(tokens[1::3], tokens[2::3], strict=False))


def _output(folder: Path, *words: str, given: bytes = b"", allowed: Sequence[int] = (0,)) -> bytes:
    """The output of git; raises GitError where it fails."""
    done = GIT.run(folder, *words, given=given)
    if done.code not in allowed:
        said = done.said.splitlines() or ["no reason given"]
        raise GitError(f"git {words[0]} failed: {said[-1]}")
    return done.output
