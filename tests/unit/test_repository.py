"""``git init`` and a first commit, whatever the user's git is set to."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from scaffold import repository
from scaffold.errors import DestinationError

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, in which git knows nobody."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith(("GIT_", "EMAIL"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "a project"
    folder.mkdir()
    (folder / "README.md").write_text("text\n")
    (folder / ".gitignore").write_text("runs/\n")
    return folder


def git(folder: Path, *arguments: str) -> str:
    result = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return result.stdout.strip()


def test_commits_everything(project: Path) -> None:
    repository.check(project)
    repository.start(project)
    assert git(project, "status", "--porcelain") == ""
    assert git(project, "ls-files").split() == [".gitignore", "README.md"]
    assert (
        git(project, "log", "--format=%an %ae %s")
        == "scaffold scaffold@localhost Start the project"
    )


def test_the_settings_of_the_user_hold(project: Path, home: Path) -> None:
    (home / ".gitconfig").write_text(
        "[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = trunk\n"
    )
    repository.start(project)
    assert git(project, "log", "--format=%an %ae") == "Ada ada@example.org"
    assert git(project, "symbolic-ref", "--short", "HEAD") == "trunk"
    assert git(project, "config", "--local", "--list").count("user.") == 0


def test_the_identity_in_the_environment_holds(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Grace")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "grace@example.org")
    repository.start(project)
    assert git(project, "log", "--format=%an %ae") == "Grace grace@example.org"


def failing_hooks(home: Path) -> str:
    hooks = home / "hooks"
    hooks.mkdir()
    for name in ("pre-commit", "commit-msg", "prepare-commit-msg", "post-commit"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch '{home}/hook-ran'\nexit 1\n")
        (hooks / name).chmod(0o755)
    return f"[core]\nhooksPath = {hooks}\n"


def template_with_hooks(home: Path) -> str:
    failing_hooks(home)
    template = home / "template"
    template.mkdir()
    (home / "hooks").rename(template / "hooks")
    return f"[init]\ntemplateDir = {template}\n"


@pytest.mark.parametrize(
    "setting",
    [
        failing_hooks,
        template_with_hooks,
        lambda _: "[commit]\ngpgSign = true\n[gpg]\nprogram = /bin/false\n",
        lambda _: "[init]\ntemplateDir = /nowhere\n",
        lambda _: "[user]\nuseConfigOnly = true\n",
        lambda _: "[core]\neditor = /bin/false\nautocrlf = true\nsafecrlf = true\n",
    ],
)
def test_no_setting_stops_the_first_commit(
    project: Path, home: Path, setting: Callable[[Path], str]
) -> None:
    (home / ".gitconfig").write_text(setting(home))
    repository.start(project)
    assert git(project, "log", "--format=%s") == "Start the project"
    assert not (home / "hook-ran").exists()


def test_is_not_led_to_the_repository_of_a_hook(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    repository.check(project)
    repository.start(project)
    assert (project / ".git").is_dir()
    assert not (other / ".git" / "index").exists()


def test_refuses_to_nest_repositories(project: Path) -> None:
    git(project, "init", "--quiet")
    for folder in (project, project / "below" / "it"):
        with pytest.raises(DestinationError, match="is a git repository already"):
            repository.check(folder)


def test_a_git_that_refuses_is_found_before_anything_is_written(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".gitconfig").write_text("[core\n")
    with pytest.raises(DestinationError, match="git refuses: fatal: bad config"):
        repository.check(project)
    (home / ".gitconfig").unlink()
    git(project, "init", "--quiet")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # as in a folder of someone else
    with pytest.raises(DestinationError, match="git refuses: fatal: .*ownership"):
        repository.check(project / "below")


def test_what_the_user_ignores_elsewhere_is_committed(project: Path, home: Path) -> None:
    (home / "ignore").write_text("*\n")
    (home / ".gitconfig").write_text(f"[core]\nexcludesFile = {home / 'ignore'}\n")
    repository.start(project)
    assert git(project, "ls-files").split() == [".gitignore", "README.md"]


def test_says_that_git_is_missing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(DestinationError, match="git is not installed"):
        repository.check(project)
    with pytest.raises(DestinationError, match="is written to .* not committed"):
        repository.start(project)


def test_says_why_git_failed(project: Path, home: Path) -> None:
    (home / ".gitconfig").write_text("[core\n")
    with pytest.raises(DestinationError, match="not committed to git: .*bad config"):
        repository.start(project)
    assert (project / "README.md").exists()
