"""Packs in git repositories: pinned by commit, cached, and read without running anything."""

import hashlib
import os
import subprocess
from pathlib import Path

import pytest
from making import PACK, contents, write_pack

from scaffold.errors import PackError
from scaffold.packs import load, load_locked
from scaffold.packs.git import cache_folder

pytestmark = pytest.mark.usefixtures("toy")


def git(folder: Path, *words: str) -> str:
    identity = {
        f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *words],
        cwd=folder,
        env={**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def commit(repository: Path) -> str:
    git(repository, "add", "--all", "--force")
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "x")
    return git(repository, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A pack in a repository with a tag v1; the cache of this test is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = write_pack(tmp_path / "team" / "acme", {"data/OWNERS": "first\n"})
    git(root, "init", "--quiet", "--initial-branch", "main")
    (root / "README.md").write_text("not of the pack")
    commit(root)
    git(root, "tag", "--annotate", "--message", "x", "v1")
    return root


def owners(reference: str) -> bytes:
    catalogue = load([reference], Path("/")).catalogue
    return catalogue.sources[catalogue.data["OWNERS"]].content


def test_a_branch_a_tag_and_a_commit(repository: Path) -> None:
    url = f"git+{repository.as_uri()}"
    first = git(repository, "rev-parse", "HEAD")
    (repository / "data/OWNERS").write_text("second\n")
    second = commit(repository)
    assert owners(url) == owners(f"{url}@main") == b"second\n"
    assert owners(f"{url}@v1") == owners(f"{url}@{first}") == b"first\n"
    (pack,) = load([f"{url}@main"], Path()).recorded(Path("run"))
    assert (pack.reference, pack.commit) == (f"{url}@main", second)
    (folder,) = load([str(repository)], Path()).recorded(Path("run"))
    assert folder.digest == pack.digest  # the content is the same


def test_migrations_are_files_of_the_pack(repository: Path) -> None:
    text = "migrations: [{version: 1, reason: plainer, changes: [{drop: taste}]}]\n"
    (repository / "migrations.yaml").write_text(text)
    commit(repository)
    loaded = load([f"git+{repository.as_uri()}"], Path())
    assert [one.title for one in loaded.catalogue.migrations if one.tree] == ["acme 1"]
    (pack,) = loaded.recorded(Path("run"))
    assert pack.migrations == 1


def test_a_copy_that_is_damaged_is_named(repository: Path) -> None:
    url = f"git+{repository.as_uri()}@v1"
    load([url], Path())
    for path in cache_folder().rglob("*.pack"):
        path.chmod(0o644)
        path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(PackError, match="is damaged: remove .*/scaffold/packs/"):
        load([url], Path())


def test_a_relative_cache_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache/scaffold/packs"


def test_what_was_fetched_is_there_without_the_network(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"git+{repository.as_uri()}"
    loaded = load([f"{url}@main"], Path())
    (pack,) = loaded.recorded(Path("run"))
    repository.rename(repository.with_name("gone"))
    assert owners(f"{url}@{pack.commit}") == b"first\n"
    assert capsys.readouterr().err == ""
    assert owners(f"{url}@main") == b"first\n"
    assert f"cannot be reached; main is what it was: {pack.commit}" in capsys.readouterr().err
    with pytest.raises(PackError, match="git cannot fetch other"):
        load([f"{url}@other"], Path())


def test_a_lock_pins_the_commit(repository: Path) -> None:
    url = f"git+{repository.as_uri()}@main"
    (pack,) = load([url], Path()).recorded(Path("run"))
    (repository / "data/OWNERS").write_text("second\n")
    second = commit(repository)
    assert load_locked([pack], Path(), pinned=True).recorded(Path("run")) == (pack,)
    assert load_locked([pack], Path(), pinned=False).recorded(Path("run"))[0].commit == second


def test_a_ref_that_was_deleted_is_an_error(repository: Path) -> None:
    url = f"git+{repository.as_uri()}@v1"
    load([url], Path())
    git(repository, "tag", "--delete", "v1")
    with pytest.raises(PackError, match="git cannot fetch v1 of .*remote ref"):
        load([url], Path())


def test_the_cache_holds_no_work_tree(repository: Path) -> None:
    load([f"git+{repository.as_uri()}@v1"], Path())
    (cached,) = cache_folder().iterdir()
    url = repository.as_uri().encode()
    assert cached.name == hashlib.sha256(url).hexdigest()[:32]
    assert not {"OWNERS", "pack.yaml", "hooks"} & {path.name for path in cached.rglob("*")}


def test_nothing_in_a_repository_acts(repository: Path, tmp_path: Path) -> None:
    owned = tmp_path / "owned"
    git(repository, "config", "filter.own.smudge", f"touch {owned}")
    git(repository, "config", "uploadpack.packObjectsHook", f"touch {owned};")
    (repository / ".gitattributes").write_text("* filter=own\n")
    hook = f"#!/bin/sh\ntouch {owned}\n"
    for name in ("post-checkout", "reference-transaction", "post-merge", "pre-receive"):
        (repository / ".git/hooks" / name).write_text(hook)
        (repository / ".git/hooks" / name).chmod(0o755)
    git(repository, "-c", "core.hooksPath=/dev/null", "add", "--all")
    git(repository, "-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-m", "x")
    assert owners(f"git+{repository.as_uri()}") == b"first\n"
    assert not owned.exists()


def test_links_and_submodules_are_refused(repository: Path, tmp_path: Path) -> None:
    url = f"git+{repository.as_uri()}"
    (repository / "data/passwd").symlink_to("/etc/passwd")
    commit(repository)
    with pytest.raises(PackError, match="data/passwd: is a link"):
        load([url], Path())
    (repository / "data/passwd").unlink()
    other = write_pack(tmp_path / "other")
    git(other, "init", "--quiet")
    commit(other)
    git(repository, "submodule", "--quiet", "add", other.as_uri(), "data/sub")
    commit(repository)
    with pytest.raises(PackError, match="data/sub: is no ordinary file"):
        load([url], Path())


def test_odd_paths_in_a_tree_are_refused(repository: Path) -> None:
    blob = git(repository, "hash-object", "-w", "--stdin-paths", "--no-filters")
    assert blob == ""
    oid = git(repository, "hash-object", "-w", "pack.yaml")
    git(repository, "update-index", "--add", "--cacheinfo", f"100644,{oid},data/a\\..\\b")
    git(repository, "commit", "--quiet", "-m", "x")
    with pytest.raises(PackError, match="is no path that a project may have"):
        load([f"git+{repository.as_uri()}"], Path())


def test_the_callers_git_is_left_alone(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(repository / ".git")
    monkeypatch.setenv("GIT_DIR", str(repository / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "ext")
    assert owners(f"git+{repository.as_uri()}@v1") == b"first\n"
    assert contents(repository / ".git") == before


def test_a_rewritten_address_cannot_bring_another_protocol(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owned = tmp_path / "owned"
    settings = tmp_path / "gitconfig"
    settings.write_text(
        f'[url "ext::sh -c touch% {owned}; "]\n\tinsteadOf = https://evil/\n'
        "[protocol]\n\tallow = always\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    with pytest.raises(PackError, match="'ext' not allowed"):
        load(["git+https://evil/pack"], Path())
    assert not owned.exists()
    assert PACK in (repository / "pack.yaml").read_text()
