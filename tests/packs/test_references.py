"""How packs are named: folders, git repositories and installed packages."""

import importlib.metadata
import sys
from pathlib import Path

import pytest
from making import write_pack

from scaffold.errors import PackError
from scaffold.packs import load, load_locked
from scaffold.packs.reference import (
    FolderReference,
    GitReference,
    PackageReference,
    parse_reference,
)
from scaffold.packs.replaced import load_replaced


def test_folders_are_seen_from_a_place(tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir()
    for text in ("acme", "./acme", "nowhere/acme", "../acme", "/opt/acme"):
        assert parse_reference(text, tmp_path) == FolderReference(text, tmp_path / text)
    assert parse_reference("beta", tmp_path) == PackageReference("beta", "beta")


@pytest.mark.parametrize(
    ("text", "url", "ref"),
    [
        ("git+https://host.org/team/pack", "https://host.org/team/pack", "HEAD"),
        ("git+https://host.org/team/pack.git@v2", "https://host.org/team/pack.git", "v2"),
        ("git+https://host.org:8443/pack@rel/1.0", "https://host.org:8443/pack", "rel/1.0"),
        ("git+ssh://git@host.org/team/pack@main", "ssh://git@host.org/team/pack", "main"),
        ("git+file:///srv/packs/acme.git@v1", "file:///srv/packs/acme.git", "v1"),
    ],
)
def test_repositories_have_an_address_and_a_ref(text: str, url: str, ref: str) -> None:
    assert parse_reference(text, Path()) == GitReference(text, url, ref)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("git@host.org:team/pack", "git+ssh://git@host.org/team/pack"),
        ("git+ext::sh -c touch% owned", "is none of https, ssh, file"),
        ("git+ext://sh/-c/touch", "the scheme ext is none of"),
        ("git+http://host.org/pack", "the scheme http is none of"),
        ("git+fd://17/pack", "the scheme fd is none of"),
        ("git+git://host.org/pack", "the scheme git is none of"),
        ("git+https://user:secret@host.org/pack", "holds a user name or password"),
        ("git+https://token@host.org/pack", "holds a user name or password"),
        ("git+ssh://git:secret@host.org/pack", "holds a user name or password"),
        ("git+ssh://-oProxyCommand=touch/pack", "is no plain address"),
        ("git+ssh://-oProxyCommand=touch@host.org/pack", "is no plain address"),
        ("git+https://host.org/--upload-pack=touch", "is no plain address"),
        ("git+https://host.org/pack@--upload-pack=touch", "is no branch, tag or commit"),
        ("git+https://host.org/pack@-v", "is no branch, tag or commit"),
        ("git+https://host.org/pack@a..b", "is no branch, tag or commit"),
        ("git+https://host.org/pack@a:b", "is no branch, tag or commit"),
        ("git+https://host.org/pack@+a", "is no branch, tag or commit"),
        ("git+https://host.org/pack@", "is no branch, tag or commit"),
        ("git+https://host.org/pack@x/.lock", "is no branch, tag or commit"),
        ("git+https://host.org/pack?x=1", "is no plain address"),
        ("git+https:///pack", "is no plain address"),
        ("git+https://", "is no plain address"),
        ("git+file://host/pack", "is no plain address"),
        ("https://host.org/pack", "is named with git+ before its address"),
        ("a b", "it is no folder, and no name of a package"),
        ("-x", "it is no folder, and no name of a package"),
        ("", "it names nothing"),
        ("a\x00/b", "it names nothing"),
    ],
)
def test_odd_references_are_refused(text: str, message: str) -> None:
    with pytest.raises(PackError) as caught:
        parse_reference(text, Path())
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="nowhere is no folder"):
        load([str(tmp_path / "nowhere")], Path())
    with pytest.raises(PackError, match=r"it has no pack\.yaml"):
        load([str(tmp_path)], Path())


def test_a_package_that_is_not_installed_is_named() -> None:
    with pytest.raises(PackError, match="no package of that name is installed"):
        load(["acme-standard-templates"], Path())


@pytest.mark.usefixtures("toy")
def test_an_installed_package_is_found_and_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = write_pack(tmp_path / "acme_pack", {"data/OWNERS": "acme\n"})
    (package / "__init__.py").write_text(f"open({str(tmp_path / 'owned')!r}, 'w')\n")
    info = tmp_path / "acme_pack-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-pack\nVersion: 1.2\n")
    (info / "RECORD").write_text(
        "acme_pack/__init__.py,,\nacme_pack/pack.yaml,,\nacme_pack/data/OWNERS,,\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir("/")
    loaded = load(["acme-pack"], Path())
    (pack,) = loaded.recorded(tmp_path / "run")
    assert (pack.id, pack.reference, pack.commit) == ("acme", "acme-pack", "")
    assert "OWNERS" in loaded.catalogue.data
    (info / "RECORD").write_text("acme_pack.pth,,\n")  # as of an install for editing
    assert load(["acme-pack"], Path()).recorded(tmp_path / "run") == (pack,)
    write_pack(tmp_path / "run/acme-pack", {"data/OTHER": "x"})  # a folder of that name
    assert load_locked([pack], tmp_path / "run", pinned=True).packs[0].recorded(Path()) == pack
    assert not (tmp_path / "owned").exists()
    assert "acme_pack" not in sys.modules
    (package / "pack.yaml").unlink()
    with pytest.raises(PackError, match=r"the package holds no pack\.yaml"):
        load(["acme-pack"], Path())
    assert importlib.metadata.version("acme-pack") == "1.2"


def test_a_password_is_not_told() -> None:
    text = "git+https://user:secret@host.org/pack"
    for how in (load, lambda texts, _: load_replaced((), Path(), texts)):
        with pytest.raises(PackError) as caught:
            how([text], Path())
        assert "secret" not in str(caught.value)
