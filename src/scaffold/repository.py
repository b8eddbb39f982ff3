"""Puts a new project under version control: ``git init`` and a first commit."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from scaffold.errors import DestinationError

SECONDS = 60
MESSAGE = "Start the project"
# Set while git runs a hook or an alias: they would point at another repository.
FOREIGN = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_WORK_TREE",
)
NO_REPOSITORY = "not a git repository"
# No hook of the user's may refuse the commit, or wait for an answer; nor may a key for signing, or
# a check of line ends. What the user ignores elsewhere, the project's own files are not.
SETTINGS = (
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "commit.gpgSign=false"),
    *("-c", "core.safecrlf=false"),
    *("-c", f"core.excludesFile={os.devnull}"),
)


def check(folder: Path) -> None:
    """Raises DestinationError where no repository can be made in a folder, which need not exist."""
    if shutil.which("git") is None:
        raise DestinationError("git is not installed: leave out --git, or install it")
    while not folder.is_dir():
        folder = folder.parent
    inside = _git(folder, "rev-parse", "--show-toplevel")
    if inside.returncode == 0:
        raise DestinationError(
            f"{inside.stdout.strip()} is a git repository already: leave out --git"
        )
    if NO_REPOSITORY not in inside.stderr:  # git is broken, or there is one that it does not trust
        raise DestinationError(f"git refuses: {_reason(inside)}; mend that, or leave out --git")


def start(project: Path) -> None:
    """Makes a repository of the project with one commit; the user's own git settings hold.

    Raises DestinationError where git fails; the project stays as it is, with or without .git.
    """
    steps: Sequence[Sequence[str]] = (
        ("init", "--quiet"),
        ("add", "--all"),
        (*_identity(project), "commit", "--quiet", "--no-verify", "--message", MESSAGE),
    )
    for step in steps:
        result = _git(project, *SETTINGS, *step)
        if result.returncode != 0:
            raise DestinationError(
                f"the project is written to {project}, but not committed to git: {_reason(result)}"
            )


def _reason(failed: subprocess.CompletedProcess[str]) -> str:
    """What git said, in one line: advice may follow the reason."""
    said = failed.stderr.strip() or failed.stdout.strip() or f"exit code {failed.returncode}"
    lines = said.splitlines()
    return next((line for line in lines if line.startswith("fatal:")), lines[-1])


def _identity(project: Path) -> list[str]:
    """Settings that name an author where the user has not told git who they are."""
    settings = []
    for key, fallback in (("name", "scaffold"), ("email", "scaffold@localhost")):
        is_set = os.environ.get(f"GIT_COMMITTER_{key.upper()}") and os.environ.get(
            f"GIT_AUTHOR_{key.upper()}"
        )
        if not is_set and not _git(project, "config", f"user.{key}").stdout.strip():
            settings += ["-c", f"user.{key}={fallback}"]
    return settings


def _git(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key not in FOREIGN}
    command = ["git", *arguments]
    try:
        return subprocess.run(
            command,
            cwd=project,
            env={**environment, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))
