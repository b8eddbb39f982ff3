"""git's own three-way merge, in a repository of its own that is gone afterwards.

Nothing of the project is touched, not even its repository: three commits are made from contents in
memory. git's settings and attributes, of the user and of the system, are kept out.
"""

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scaffold.conflict_marks import THEIRS, YOURS
from scaffold.errors import ScaffoldError
from scaffold.render import RenderedFile, Tree

SECONDS = 300
OLDEST = (2, 38)  # the first with `git merge-tree --write-tree`
LINK = 0o120000
SETTINGS: Mapping[str, str] = {
    "core.attributesFile": os.devnull,
    "core.hooksPath": os.devnull,
    "merge.conflictStyle": "merge",
    "merge.directoryRenames": "false",
    "merge.renames": "true",
    "merge.renameLimit": "10000",
    "diff.renameLimit": "10000",
}
VERSION = re.compile(r"git version (\d+)\.(\d+)")


class GitError(ScaffoldError):
    """git is missing, too old, or does not do what it should."""


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
        _git(folder, "init", "--quiet", "--bare", "--template=", "--object-format=sha1", ".")
        stream = b"".join(_commits(base, yours, theirs))
        _git(folder, "fast-import", "--quiet", "--done", given=stream)
        command = ("merge-tree", "--write-tree", "-z")
        output = _git(folder, *command, YOURS, THEIRS, allowed=(0, 1))
        tree, objections = _parse_merge(output)
        return GitMerge(
            files=_read_tree(folder, tree, yours, theirs),
            objections=objections,
            renames=_renames(folder, base, theirs),
        )


def _check_version() -> None:
    output = _git(Path("/"), "version").decode(errors="replace").strip()
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
            yield b"M %06o :%d %s\n" % (_mode(file), marks[file.content], _quoted(path))
        yield b"\n"
    yield b"done\n"


def _mode(file: RenderedFile) -> int:
    return file.mode if file.mode == LINK else 0o100000 | file.mode


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
    listed = _git(folder, "ls-tree", "-r", "-z", "--full-tree", tree)
    entries: dict[str, tuple[int, str]] = {}
    for line in listed.decode(errors="surrogateescape").split("\0")[:-1]:
        facts, _, path = line.partition("\t")
        mode, _, name = facts.split()
        entries[path] = (int(mode, 8), name)
    contents = {_name(f.content): f.content for side in (yours, theirs) for f in side.values()}
    wanted = [name for _, name in entries.values() if name not in contents]
    contents |= _read_blobs(folder, list(dict.fromkeys(wanted)))
    return {
        path: RenderedFile(contents[name], mode if mode == LINK else mode & 0o777)
        for path, (mode, name) in entries.items()
    }


def _name(content: bytes) -> str:
    """What git calls a blob."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _read_blobs(folder: Path, names: Sequence[str]) -> dict[str, bytes]:
    if not names:
        return {}
    asked = "".join(f"{name}\n" for name in names).encode()
    output = _git(folder, "cat-file", "--batch", given=asked)
    found = {}
    position = 0
    for name in names:
        end = output.index(b"\n", position)
        size = int(output[position:end].split()[2])
        found[name] = output[end + 1 : end + 1 + size]
        position = end + 1 + size + 1
    return found


def _renames(folder: Path, base: Tree, theirs: Tree) -> dict[str, str]:
    if base.keys() <= theirs.keys() or theirs.keys() <= base.keys():
        return {}
    command = ("diff-tree", "-r", "-z", "--find-renames", "--name-status", "--diff-filter=R")
    tokens = _git(folder, *command, "base", THEIRS).decode(errors="surrogateescape").split("\0")
    return dict(zip(tokens[1::3], tokens[2::3], strict=False))


def _git(folder: Path, *arguments: str, given: bytes = b"", allowed: Sequence[int] = (0,)) -> bytes:
    """The output of a git that knows no settings but ours."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment |= {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_DIR": str(folder),
        "LC_ALL": "C",
    }
    settings = [word for key, value in SETTINGS.items() for word in ("-c", f"{key}={value}")]
    try:
        done = subprocess.run(
            ["git", *settings, *arguments],
            cwd=folder,
            env=environment,
            input=given,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise GitError("git is needed to merge, and is not installed") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git failed: {error}") from None
    if done.returncode not in allowed:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
        raise GitError(f"git {arguments[0]} failed: {said[-1]}")
    return done.stdout
