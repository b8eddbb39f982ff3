"""How git is run: where it is led to, whose settings it knows, and how objects are read."""

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scaffold.git import FOREIGN, Git, GitError

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
# Not where a repository lies, but what the user wants of git.
OF_USER = {"GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_NO_REPLACE_OBJECTS"}
GIT = Git(seconds=60)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    assert GIT.run(folder, "init", "--quiet").code == 0
    return folder


def blob(repository: Path, content: bytes) -> str:
    return GIT.run(repository, "hash-object", "-w", "--stdin", given=content).text


def test_what_git_itself_calls_local_is_dropped(repository: Path) -> None:
    local = set(GIT.run(repository, "rev-parse", "--local-env-vars").text.split())
    assert local - OF_USER <= FOREIGN


def test_git_is_not_led_elsewhere(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shallow").write_text(f"{'1' * 40}\n")
    monkeypatch.setenv("GIT_SHALLOW_FILE", str(tmp_path / "shallow"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    done = GIT.run(repository, "rev-parse", "--show-toplevel", "--is-shallow-repository")
    assert done.text.splitlines() == [str(repository), "false"]


def test_settings_of_the_user_hold_unless_they_are_ignored(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "settings").write_text("[user]\nname = Ada\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.email")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "ada@example.org")
    words = ("config", "--get-regexp", "^user\\.")
    assert GIT.run(repository, *words).text == "user.name Ada\nuser.email ada@example.org"
    assert Git(seconds=60, ignores_user=True).run(repository, *words).code == 1


def test_blobs_are_read_in_their_order(repository: Path) -> None:
    contents = [b"", b"one\n", b"no line end", b"\0\n0 blob 3\n", b"one\n"]
    names = [blob(repository, content) for content in contents]
    assert GIT.read_blobs(repository, names) == contents
    assert GIT.read_blobs(repository, []) == []


def test_what_is_no_blob_is_none(repository: Path) -> None:
    tree = GIT.run(repository, "write-tree").text
    (repository / "file").write_bytes(b"content")
    assert GIT.run(repository, "add", "file").code == 0
    filled = GIT.run(repository, "write-tree").text
    names = ["HEAD:a blob", tree, filled, f"{filled}:file", "0" * 40]
    assert GIT.read_blobs(repository, names) == [None, None, None, b"content", None]


class Counted(bytes):
    """Bytes that count how many of them are copied by slices."""

    copied = 0

    def __getitem__(self, key: Any) -> Any:
        part = super().__getitem__(key)
        Counted.copied += len(part) if isinstance(part, bytes) else 1
        return part


def test_many_blobs_are_read_without_copies_of_the_rest(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = os.urandom(100)
    names = [blob(repository, content)] * 50
    run = Git.run

    def counted(*arguments: Any, **options: Any) -> Any:
        done = run(*arguments, **options)
        return replace(done, output=Counted(done.output))

    monkeypatch.setattr(Git, "run", counted)
    assert GIT.read_blobs(repository, names) == [content] * 50
    assert Counted.copied == 50 * 100


def test_errors_say_what_git_does(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(GitError, match="git cat-file failed: fatal: not a git repository"):
        Git(seconds=60, variables={"GIT_DIR": "nowhere"}).read_blobs(tmp_path, ["0" * 40])
    with pytest.raises(GitError, match="git cannot be run: .*Not a directory"):
        GIT.run(repository / ".git" / "HEAD", "version")

    def wait(*_words: object, **_how: object) -> None:
        raise subprocess.TimeoutExpired("git", 60)

    monkeypatch.setattr("subprocess.run", wait)
    with pytest.raises(GitError, match="git fetch takes more than 60 seconds"):
        GIT.run(repository, "fetch")
    monkeypatch.undo()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(GitError, match="git is not installed"):
        GIT.run(repository, "version")
