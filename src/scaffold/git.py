"""git as a child process: how it is run, and how contents are read from it."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scaffold.errors import ScaffoldError

# Set while git runs a hook or an alias: they would lead to another repository.
FOREIGN = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
NO_USER: Mapping[str, str] = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
}
OBJECT = re.compile(rb"[0-9a-f]+ (\w+) (\d+)")  # the line before each object of a batch


class GitError(ScaffoldError):
    """git is missing, too old, or does not do what it should."""


@dataclass(frozen=True)
class Done:
    """How a run of git ended: its exit code, its output, and what it said beside that."""

    code: int
    output: bytes
    said: str

    @property
    def text(self) -> str:
        """The output as one text; bytes that are no UTF-8 are replaced."""
        return self.output.decode(errors="replace").strip()


@dataclass(frozen=True)
class Git:
    """A way to run git: for how long at most, with which settings and environment variables.

    The user's own settings hold beside these unless it ``ignores_user``. One that is ``detached``
    has no terminal to ask on.
    """

    seconds: int
    settings: Sequence[tuple[str, str]] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    ignores_user: bool = False
    detached: bool = False

    def run(self, folder: Path, *words: str, given: bytes = b"") -> Done:
        """Runs git in a folder with ``given`` on its standard input, whatever its exit code.

        Raises GitError where it cannot be started, or takes too long.
        """
        settings = [word for key, value in self.settings for word in ("-c", f"{key}={value}")]
        try:
            done = subprocess.run(
                ["git", *settings, *words],
                cwd=folder,
                env={**self._environment(), **self.variables, "LC_ALL": "C"},
                input=given,
                capture_output=True,
                timeout=self.seconds,
                check=False,
                start_new_session=self.detached,
            )
        except FileNotFoundError:
            raise GitError("git is not installed") from None
        except subprocess.TimeoutExpired:
            raise GitError(f"git {words[0]} takes more than {self.seconds} seconds") from None
        except OSError as error:
            raise GitError(f"git cannot be run: {error}") from None
        return Done(done.returncode, done.stdout, done.stderr.decode(errors="replace").strip())

    def read_blobs(self, folder: Path, names: Sequence[str]) -> list[bytes | None]:
        """The contents of files by their names as objects; None where a repository has no such.

        Raises GitError where git fails.
        """
        if not names:
            return []
        asked = "".join(f"{name}\n" for name in names).encode()
        done = self.run(folder, "cat-file", "--batch", given=asked)
        if done.code != 0:
            raise GitError(f"git cat-file failed: {done.said}")
        found: list[bytes | None] = []
        start = 0
        for _ in names:
            end = done.output.index(b"\n", start)
            head = OBJECT.fullmatch(done.output, start, end)
            start = end + 1
            if head is None:  # "NAME missing"
                found.append(None)
                continue
            end = start + int(head[2])
            found.append(done.output[start:end] if head[1] == b"blob" else None)
            start = end + 1
        return found

    def _environment(self) -> dict[str, str]:
        if self.ignores_user:
            kept = {key: text for key, text in os.environ.items() if not key.startswith("GIT_")}
            return {**kept, **NO_USER}
        return {key: text for key, text in os.environ.items() if key not in FOREIGN}
