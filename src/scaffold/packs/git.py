"""Packs in git repositories: fetched without a work tree into the user's cache, and read from it.

Nothing is checked out, so that no filter, hook, link or submodule of a repository ever acts: files
are read as objects. The cache has one bare repository for each address, which keeps the commits
that were fetched; a commit in it is read without the network.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from scaffold.errors import PackError
from scaffold.packs.reference import COMMIT, SCHEMES, GitReference
from scaffold.packs.tree import Entry, Kind, admit, is_read, sources
from scaffold.repository import FOREIGN
from scaffold.sources import Source
from scaffold.streams import warn

SECONDS = 120
LINK, SUBMODULE, EXECUTABLE = "120000", "160000", "100755"
DAMAGED = ("packfile", "corrupt", "loose object")  # what git says of a broken repository
NO_SUCH_REF = ("couldn't find remote ref", "not our ref", "no matching remote head")
# The user's own settings hold otherwise: a private repository needs their credential helper.
SETTINGS = (
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "protocol.allow=never"),
    *(word for scheme in SCHEMES for word in ("-c", f"protocol.{scheme}.allow=always")),
    *("-c", "fetch.fsckObjects=true"),
    *("-c", "fetch.recurseSubmodules=false"),
    *("-c", "gc.auto=0"),
    *("-c", "maintenance.auto=false"),
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
    _run(repository, "init", "--quiet", "--bare", "--template=", ".")
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
    fetched = _git(
        repository,
        *_batch_mode(repository),
        *("fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules"),
        *("--no-write-fetch-head", "--", reference.url, f"+{reference.ref}:{kept}"),
    )
    commit = _resolved(repository, kept)
    if fetched.returncode != 0:
        said = " ".join(fetched.stderr.decode(errors="replace").split())
        if not commit or any(sign in said for sign in NO_SUCH_REF):
            is_damaged = any(sign in said for sign in DAMAGED)
            fix = f"; the copy on this machine is damaged: remove {repository}" * is_damaged
            raise PackError([f"git cannot fetch {reference.ref} of {reference.url}: {said}{fix}"])
        text = f"{reference.url} cannot be reached; {reference.ref} is what it was: {commit}\n"
        warn(text)
    if not commit:
        raise PackError([f"{reference.ref} of {reference.url} is no commit"])
    _run(repository, "update-ref", f"refs/packs/{commit}", commit)
    return commit


def _batch_mode(repository: Path) -> tuple[str, ...]:
    """Has ssh ask nothing, unless the user has said how it is called: then nobody is there to."""
    is_set = any(name in os.environ for name in ("GIT_SSH", "GIT_SSH_COMMAND"))
    if is_set or _git(repository, "config", "core.sshCommand").returncode == 0:
        return ()
    return ("-c", "core.sshCommand=ssh -oBatchMode=yes")


def _resolved(repository: Path, name: str) -> str:
    """The commit that a name means in the cache; empty if there is none."""
    found = _git(repository, "rev-parse", "--quiet", "--verify", f"{name}^{{commit}}")
    return found.stdout.decode().strip() if found.returncode == 0 else ""


def _entries(repository: Path, commit: str) -> list[Entry]:
    listed = _run(repository, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
    entries = []
    for line in listed.split(b"\0")[:-1]:
        about, _, name = line.partition(b"\t")
        mode, _, _, size = about.decode().split()
        path = name.decode(errors="backslashreplace")
        is_link, is_file = mode == LINK, mode not in (LINK, SUBMODULE)
        if is_read(path) or (not is_file and is_read(f"{path}/x")):
            kind: Kind = "link" if is_link else "file" if is_file else "other"
            length = int(size) if is_file else 0
            entries.append(Entry(path, kind, length, mode == EXECUTABLE))
    return entries


def _contents(repository: Path, commit: str, entries: list[Entry]) -> dict[str, bytes]:
    """The contents of files at a commit, in one run of git."""
    asked = "".join(f"{commit}:{entry.path}\n" for entry in entries).encode()
    answer = _run(repository, "cat-file", "--batch", stdin=asked)
    contents = {}
    for entry in entries:
        head, _, rest = answer.partition(b"\n")
        if head.split()[1:] != [b"blob", str(entry.size).encode()]:
            raise PackError([f"{entry.path} of {commit} is missing in the cache {repository}"])
        contents[entry.path], answer = rest[: entry.size], rest[entry.size + 1 :]
    return contents


def _run(repository: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """The output of git; raises PackError where it fails."""
    done = _git(repository, *arguments, stdin=stdin)
    if done.returncode != 0:
        said = " ".join(done.stderr.decode(errors="replace").split())
        raise PackError([f"git {arguments[0]} fails in the cache {repository}: {said}"])
    return done.stdout


def _git(
    repository: Path, *arguments: str, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    environment = {key: value for key, value in os.environ.items() if key not in FOREIGN}
    command = ["git", *SETTINGS, *arguments]
    never = {
        "GIT_ALLOW_PROTOCOL": ":".join(SCHEMES),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "SSH_ASKPASS_REQUIRE": "force",
        "GCM_INTERACTIVE": "never",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "LC_ALL": "C",
    }
    try:
        return subprocess.run(
            command,
            cwd=repository,
            env={**environment, **never, "GIT_DIR": "."},
            input=stdin,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            start_new_session=True,  # no terminal to ask on
        )
    except FileNotFoundError:
        raise PackError(["git is not installed"]) from None
    except subprocess.TimeoutExpired:
        raise PackError([f"git {arguments[0]} takes more than {SECONDS} seconds"]) from None
