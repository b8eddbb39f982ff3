"""Puts a new project under version control: ``git init`` and a first commit."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

from scaffold.errors import DestinationError
from scaffold.git import Done, Git, GitError

MESSAGE = "Start the project"
NO_REPOSITORY = "not a git repository"
GIT = Git(seconds=60, variables={"GIT_TERMINAL_PROMPT": "0"})
# No hook of the user's may refuse the commit, or wait for an answer; nor may a key for signing, or
# a check of line ends. What the user ignores elsewhere, the project's own files are not.
FOR_COMMIT = replace(
    GIT,
    settings=(
        ("core.hooksPath", os.devnull),
        ("commit.gpgSign", "false"),
        ("core.safecrlf", "false"),
        ("core.excludesFile", os.devnull),
    ),
)


def check(folder: Path) -> None:
    """Raises DestinationError where no repository can be made in a folder, which need not exist."""
    if shutil.which("git") is None:
        raise DestinationError("git is not installed: leave out --git, or install it")
    while not folder.is_dir():
        folder = folder.parent
    inside = _run(GIT, folder, "rev-parse", "--show-toplevel")
    if inside.code == 0:
        raise DestinationError(f"{inside.text} is a git repository already: leave out --git")
    if NO_REPOSITORY not in inside.said:  # git is broken, or there is one that it does not trust
        raise DestinationError(f"git refuses: {_reason(inside)}; mend that, or leave out --git")


def start(project: Path) -> None:
    """Makes a repository of the project with one commit; the user's own git settings hold.

    Raises DestinationError where git fails; the project stays as it is, with or without .git.
    """
    git = replace(FOR_COMMIT, settings=(*FOR_COMMIT.settings, *_identity(project)))
    for words in (
        ("init", "--quiet"),
        ("add", "--all"),
        ("commit", "--quiet", "--no-verify", "--message", MESSAGE),
    ):
        done = _run(git, project, *words)
        if done.code != 0:
            raise DestinationError(
                f"the project is written to {project}, but not committed to git: {_reason(done)}"
            )


def _run(git: Git, folder: Path, *words: str) -> Done:
    """A run that failed where git cannot be run at all."""
    try:
        return git.run(folder, *words)
    except GitError as error:
        return Done(1, b"", str(error))


def _reason(failed: Done) -> str:
    """What git said, in one line: advice may follow the reason."""
    said = failed.said or failed.text or f"exit code {failed.code}"
    lines = said.splitlines()
    return next((line for line in lines if line.startswith("fatal:")), lines[-1])


def _identity(project: Path) -> list[tuple[str, str]]:
    """Settings that name an author where the user has not told git who they are."""
    settings = []
    for key, fallback in (("name", "scaffold"), ("email", "scaffold@localhost")):
        is_set = os.environ.get(f"GIT_COMMITTER_{key.upper()}") and os.environ.get(
            f"GIT_AUTHOR_{key.upper()}"
        )
        if not is_set and not _run(GIT, project, "config", f"user.{key}").text:
            settings.append((f"user.{key}", fallback))
    return settings
