"""Packs fetched over HTTPS and ssh, as from another machine; no network is needed."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from making import scaffold, write_pack
from serving import PASSWORD, USER, Https, calls, serve_https, write_ssh
from test_git import commit, git, owners

from scaffold.errors import PackError
from scaffold.lock import read_lock
from scaffold.packs import load
from scaffold.packs.git import cache_folder
from scaffold.records import LOCK_PATH

PROXIES = [name for name in os.environ if name.lower().endswith("_proxy")]


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's settings of git: none, until a test writes some."""
    for name in (*PROXIES, "GIT_SSH", "GIT_SSH_COMMAND"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "gitconfig"
    path.write_text("")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A pack in a bare repository, with a tag v1 and a newer commit."""
    root = write_pack(tmp_path / "work", {"data/OWNERS": "first\n"})
    git(root, "init", "--quiet", "--initial-branch", "main")
    commit(root)
    git(root, "tag", "v1")
    (root / "data/OWNERS").write_text("second\n")
    commit(root)
    served = tmp_path / "served" / "team" / "acme.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(root), str(served))
    return served


@pytest.fixture
def https(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Https]:
    """The repository served as ``team/acme.git``, by a server that git trusts."""
    with serve_https(repository.parents[1], tmp_path) as server:
        monkeypatch.setenv("GIT_SSL_CAINFO", str(server.certificate))
        yield server


@pytest.mark.usefixtures("toy")
def test_https_fetches_a_branch_a_tag_and_a_commit(https: Https, repository: Path) -> None:
    url = f"git+{https.url}/team/acme.git"
    first = git(repository, "rev-parse", "v1")
    assert owners(url) == owners(f"{url}@main") == b"second\n"
    assert owners(f"{url}@v1") == owners(f"{url}@{first}") == b"first\n"
    (pack,) = load([f"{url}@v1"], Path()).recorded(Path("run"))
    assert (pack.reference, pack.commit) == (f"{url}@v1", first)
    https.requests.clear()
    assert owners(f"{url}@{first}") == b"first\n"
    assert https.requests == []
    shutil.rmtree(cache_folder())
    assert owners(f"{url}@{first}") == b"first\n"  # a commit that the server has, by its name
    assert "POST /team/acme.git/git-upload-pack" in https.requests
    with pytest.raises(PackError, match="cannot fetch v2 of https://localhost.*remote ref v2"):
        load([f"{url}@v2"], Path())


@pytest.mark.usefixtures("toy")
def test_a_server_that_nobody_vouches_for_is_refused(
    https: Https, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_SSL_CAINFO")
    with pytest.raises(PackError, match="certificate"):
        load([f"git+{https.url}/team/acme.git@v1"], Path())
    assert https.requests == []


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("scheme", ["http", "ftp", "file"])
def test_a_server_cannot_send_to_another_protocol(https: Https, scheme: str) -> None:
    https.moved = f"{scheme}://localhost:9"
    with pytest.raises(PackError, match=r"cannot fetch v1 of https"):
        load([f"git+{https.url}/team/acme.git@v1"], Path())
    assert https.requests == ["GET /team/acme.git/info/refs"]


@pytest.mark.usefixtures("toy")
def test_a_private_repository_asks_the_credential_helper_and_nobody_else(
    https: Https, settings: Path
) -> None:
    https.private = True
    url = f"git+{https.url}/team/acme.git@v1"
    with pytest.raises(PackError, match="could not read Username|Authentication failed"):
        load([url], Path())
    helper = f'"!echo username={USER}; echo password={PASSWORD}; true"'
    settings.write_text(f"[credential]\n\thelper = {helper}\n")
    assert owners(url) == b"first\n"
    (pack,) = load([url], Path()).recorded(Path("run"))
    assert PASSWORD not in str(pack)
    kept = [path.read_bytes() for path in cache_folder().rglob("*") if path.is_file()]
    assert not any(PASSWORD.encode() in content for content in kept)


@pytest.mark.usefixtures("toy")
def test_an_address_that_the_user_rewrites_is_recorded_as_it_was_given(
    https: Https, settings: Path
) -> None:
    settings.write_text(f'[url "{https.url}/"]\n\tinsteadOf = https://git.example.org/\n')
    reference = "git+https://git.example.org/team/acme.git@v1"
    assert owners(reference) == b"first\n"
    (pack,) = load([reference], Path()).recorded(Path("run"))
    assert pack.reference == reference


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("how", ["GIT_SSH_COMMAND", "GIT_SSH", "core.sshCommand", "ssh"])
def test_ssh_is_called_as_the_user_says(
    repository: Path, settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    (tmp_path / "bin").mkdir()
    command = write_ssh(tmp_path / "bin" / "ssh")
    if how == "ssh":
        monkeypatch.setenv("PATH", f"{command.parent}{os.pathsep}{os.environ['PATH']}")
    elif how == "core.sshCommand":
        settings.write_text(f"[core]\n\tsshCommand = {command}\n")
    else:
        monkeypatch.setenv(how, str(command))
    url = f"git+ssh://git@example.org:2222{repository.as_posix()}"
    first = git(repository, "rev-parse", "v1")
    assert owners(f"{url}@main") == b"second\n"
    assert owners(f"{url}@v1") == owners(f"{url}@{first}") == b"first\n"
    (called, *_) = calls(command)
    assert "git@example.org" in called
    assert "-p 2222" in called
    # Where the user says nothing, ssh must not ask: nobody would answer.
    assert ("-oBatchMode=yes" in called) == (how == "ssh")


@pytest.mark.usefixtures("toy")
def test_what_ssh_says_is_told(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = write_ssh(tmp_path / "ssh", says="Permission denied (publickey).")
    monkeypatch.setenv("GIT_SSH_COMMAND", str(command))
    with pytest.raises(PackError, match=r"cannot fetch v1 of ssh://.*Permission denied"):
        load([f"git+ssh://example.org{repository.as_posix()}@v1"], Path())


def test_a_project_is_made_updated_and_checked_over_https(
    https: Https, repository: Path, tmp_path: Path
) -> None:
    url = f"git+{https.url}/team/acme.git"
    run = tmp_path / "run"
    assert scaffold(tmp_path, "new", "run", "--defaults", "--pack", f"{url}@v1").returncode == 0
    assert (run / "OWNERS").read_text() == "first\n"
    shutil.rmtree(cache_folder())  # another machine, as that of CI
    offline = scaffold(run, "check")
    assert offline.returncode == 2
    assert "`scaffold check --fetch` fetches it" in offline.stderr
    assert scaffold(run, "check", "--fetch").returncode == 0
    assert scaffold(run, "update", "--pack", f"{url}@main").returncode == 0
    assert (run / "OWNERS").read_text() == "second\n"
    (pack,) = read_lock((run / LOCK_PATH).read_text()).packs
    assert pack.commit == git(repository, "rev-parse", "main")
