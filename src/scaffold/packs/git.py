"""Packs in git repositories: fetched without a work tree into the user's cache, and read from it.

Nothing is checked out, so that no filter, hook, link or submodule of a repository ever acts: files
are read as objects. The cache has one bare repository for each address, which keeps the commits
that were fetched; a commit in it is read without the network.
"""

import hashlib
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from scaffold.errors import PackError
from scaffold.git import Done, Git, GitError
from scaffold.modes import EXECUTABLE, LINK, git_mode
from scaffold.packs.reference import COMMIT, SCHEMES, GitReference
from scaffold.packs.tree import Entry, Kind, admit, is_read, sources
from scaffold.sources import Source
from scaffold.streams import warn

SUBMODULE = 0o160000  # the mode of a commit in a tree
DAMAGED = ("packfile", "corrupt", "loose object")  # what git says of a broken repository
NO_SUCH_REF = ("couldn't find remote ref", "not our ref", "no matching remote head")
# The user's own settings hold otherwise: a private repository needs their credential helper.
GIT = Git(
    seconds=120,
    settings=(
        ("core.hooksPath", os.devnull),
        ("core.fsmonitor", "false"),
        ("protocol.allow", "never"),
        *((f"protocol.{scheme}.allow", "always") for scheme in SCHEMES),
        ("fetch.fsckObjects", "true"),
        ("fetch.recurseSubmodules", "false"),
        ("gc.auto", "0"),
        ("maintenance.auto", "false"),
    ),
    variables={
        "GIT_ALLOW_PROTOCOL": ":".join(SCHEMES),
        "GIT_ASKPASS": "true",
        "GIT_DIR": ".",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GCM_INTERACTIVE": "never",
        "SSH_ASKPASS": "true",
        "SSH_ASKPASS_REQUIRE": "force",
    },
    detached=True,
)


def cache_folder() -> Path:
    """Where fetched packs are kept, for all projects of the user."""
    if sys.platform == "win32":
        start = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    else:
        start = os.environ.get("XDG_CACHE_HOME", "")
        start = start if os.path.isabs(start) else "~/.cache"  # as the standard of XDG has it
    return Path(os.path.expanduser(start)) / "scaffold" / "packs"


def read_git(reference: GitReference, may_fetch: bool) -> tuple[str, Mapping[str, Source]]:
    """The commit that a reference means, and the pack's files there; raises PackError.

    Unless it ``may_fetch``, the reference must be a commit that the cache has.
    """
    repository = cache_folder() / hashlib.sha256(reference.url.encode()).hexdigest()[:32]
    try:
        repository.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PackError([f"{repository} cannot be made: {error.strerror}"]) from None
    _output(repository, "init", "--quiet", "--bare", "--template=", ".")
    commit = _commit(repository, reference, may_fetch)
    entries = admit(_entries(repository, commit))
    contents = _contents(repository, commit, entries)
    name = reference.url.rstrip("/").rpartition("/")[2].removesuffix(".git")
    root = Path(f"{name}@{commit[:12]}")
    return commit, sources(root, entries, lambda entry: contents[entry.path])


def _commit(repository: Path, reference: GitReference, may_fetch: bool) -> str:
    """The commit of a reference, fetched unless it is there; raises PackError.

    Where the repository cannot be reached, a branch or tag is what it was when last fetched.
    """
    if COMMIT.fullmatch(reference.ref) and _resolved(repository, reference.ref):
        return reference.ref
    if not may_fetch:
        what = f"{reference.ref} of {reference.url} is not on this machine"
        raise PackError([f"{what}; `scaffold check --fetch` fetches it, if you trust that address"])
    kept = f"refs/given/{hashlib.sha256(reference.ref.encode()).hexdigest()[:32]}"
    fetched = _run(
        _in_batch_mode(repository),
        repository,
        *("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"),
        *("--no-write-fetch-head", "--", reference.url, f"+{reference.ref}:{kept}"),
    )
    commit = _resolved(repository, kept)
    if fetched.code != 0:
        said = " ".join(fetched.said.split())
        if not commit or any(sign in said for sign in NO_SUCH_REF):
            is_damaged = any(sign in said for sign in DAMAGED)
            fix = f"; the copy on this machine is damaged: remove {repository}" * is_damaged
            raise PackError([f"git cannot fetch {reference.ref} of {reference.url}: {said}{fix}"])
        text = f"{reference.url} cannot be reached; {reference.ref} is what it was: {commit}\n"
        warn(text)
    if not commit:
        raise PackError([f"{reference.ref} of {reference.url} is no commit"])
    _output(repository, "update-ref", f"refs/packs/{commit}", commit)
    return commit


def _in_batch_mode(repository: Path) -> Git:
    """Has ssh ask nothing, unless the user has said how it is called: then nobody is there to."""
    is_set = any(name in os.environ for name in ("GIT_SSH", "GIT_SSH_COMMAND"))
    if is_set or _run(GIT, repository, "config", "core.sshCommand").code == 0:
        return GIT
    asking_nothing = ("core.sshCommand", "ssh -oBatchMode=yes")
    return replace(GIT, settings=(*GIT.settings, asking_nothing))


def _resolved(repository: Path, name: str) -> str:
    """The commit that a name means in the cache; empty if there is none."""
    found = _run(GIT, repository, "rev-parse", "--quiet", "--verify", f"{name}^{{commit}}")
    return found.text if found.code == 0 else ""


def _entries(repository: Path, commit: str) -> list[Entry]:
    listed = _output(repository, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
    entries = []
    for line in listed.split(b"\0")[:-1]:
        about, _, name = line.partition(b"\t")
        octal, _, _, size = about.decode().split()
        mode = int(octal, 8)
        path = name.decode(errors="backslashreplace")
        is_link, is_file = mode == LINK, mode not in (LINK, SUBMODULE)
        if is_read(path) or (not is_file and is_read(f"{path}/x")):
            kind: Kind = "link" if is_link else "file" if is_file else "other"
            length = int(size) if is_file else 0
            entries.append(Entry(path, kind, length, mode == git_mode(EXECUTABLE)))
    return entries


def _contents(repository: Path, commit: str, entries: list[Entry]) -> dict[str, bytes]:
    """The contents of files at a commit, in one run of git."""
    try:
        blobs = GIT.read_blobs(repository, [f"{commit}:{entry.path}" for entry in entries])
    except GitError as error:
        raise PackError([f"{error}, in the cache {repository}"]) from None
    contents = {}
    for entry, content in zip(entries, blobs, strict=True):
        if content is None or len(content) != entry.size:
            raise PackError([f"{entry.path} of {commit} is missing in the cache {repository}"])
        contents[entry.path] = content
    return contents


def _output(repository: Path, *words: str) -> bytes:
    """The output of git; raises PackError where it fails."""
    done = _run(GIT, repository, *words)
    if done.code != 0:
        said = " ".join(done.said.split())
        raise PackError([f"git {words[0]} fails in the cache {repository}: {said}"])
    return done.output


def _run(git: Git, repository: Path, *words: str) -> Done:
    """A run of git, whatever its exit code; raises PackError where it cannot be run."""
    try:
        return git.run(repository, *words)
    except GitError as error:
        raise PackError([str(error)]) from None
