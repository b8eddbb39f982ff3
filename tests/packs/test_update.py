"""A project made with a pack is updated with it: its files are merged, its policy holds."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from boxes import STORY, Box
from making import write_pack

OWN = {"data/OWNERS.py": f'"""Owners."""\n\n\n{STORY}\n'}
POLICY = "policy:\n  size.width: {locked: 128, reason: our kernels are tuned for it}\n"


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return write_pack(tmp_path / "acme", OWN)


@pytest.fixture
def made(box: Box, pack: Path) -> Box:
    code = box.run("new", str(box.project), "--defaults", "--pack", str(pack)).code
    assert code == 0
    assert box.check().code == 0
    return box


def change(pack: Path, old: str, new: str) -> None:
    path = pack / "data/OWNERS.py"
    path.write_text(path.read_text().replace(old, new))


def test_a_newer_pack_is_merged_with_the_owners_edits(made: Box, pack: Path) -> None:
    made.replace("OWNERS.py", "return 7", "return 77")
    change(pack, "return 1", "return 11")
    assert made.found() == {"OWNERS.py": "edited", "0.1.0": "template"}
    assert made.check().code == 2
    ran = made.update()
    assert (ran.code, ran.verdicts()) == (0, {"OWNERS.py": "merged"})
    assert "return 77" in made.read("OWNERS.py")
    assert "return 11" in made.read("OWNERS.py")
    assert made.check().code == 0


def test_the_policy_of_a_newer_pack_is_told(made: Box, pack: Path) -> None:
    before = made.state()
    declaration = pack / "pack.yaml"
    declaration.write_text(declaration.read_text() + POLICY)
    ran = made.update("--set", "size.width=64")
    assert ran.code == 2
    assert "our kernels are tuned for it" in ran.out
    assert made.state() == before
    assert made.update().code == 0
    assert "width: 128" in made.read("scaffold.yaml")


def test_a_pack_that_is_gone_is_named_and_nothing_is_written(made: Box, pack: Path) -> None:
    before = made.state()
    pack.rename(pack.with_name("elsewhere"))
    for ran in (made.update(), made.check()):
        assert ran.code == 2
        assert "acme" in ran.out
    assert made.state() == before


def test_a_branch_is_followed_by_update_and_pinned_for_check(
    box: Box, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    commit = committing(pack)
    commit()
    reference = f"git+{pack.as_uri()}@main"
    assert box.run("new", str(box.project), "--defaults", "--pack", reference).code == 0
    change(pack, "return 1", "return 11")
    commit()
    assert box.check().code == 0  # the commit of the lock
    ran = box.update()
    assert (ran.code, ran.verdicts()) == (0, {"OWNERS.py": "updated"})
    assert box.check().code == 0
    pack.rename(pack.with_name("elsewhere"))  # as without a network
    assert box.check().code == 0


@pytest.fixture
def fetched(box: Box, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Box:
    """A project whose pack is in a git repository."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    committing(pack)()
    reference = f"git+{pack.as_uri()}@main"
    assert box.run("new", str(box.project), "--defaults", "--pack", reference).code == 0
    return box


def test_only_a_command_that_is_told_to_fetches(
    fetched: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = fetched
    shutil.rmtree(tmp_path / "cache")  # as on another machine
    monkeypatch.chdir(box.project)
    for words in (["check"], ["explain"]):
        ran = box.run(*words, "--json")
        assert ran.code == 2
        assert "is not on this machine; `scaffold check --fetch`" in ran.out
    assert not list((tmp_path / "cache").rglob("*.pack"))
    assert box.run("check", "--fetch").code == 0
    assert box.run("check").code == 0
    assert box.run("explain").code == 0


@pytest.mark.parametrize(
    ("commit", "message"),
    [("main", "main is no commit"), ("'-x'", "-x is no commit"), ("''", "is at no commit")],
)
def test_a_lock_names_a_commit(fetched: Box, commit: str, message: str) -> None:
    lines = fetched.read(".scaffold/lock.yaml").splitlines()
    lines = [f"    commit: {commit}" if "    commit:" in line else line for line in lines]
    fetched.write(".scaffold/lock.yaml", "\n".join(lines) + "\n")
    for ran in (fetched.check(), fetched.update()):
        assert ran.code == 2
        assert message in ran.out


def test_a_pack_at_another_tag_or_place_takes_the_place_of_the_one_before(
    box: Box, pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    commit = committing(pack)
    commit()
    subprocess.run(["git", "tag", "v1"], cwd=pack, check=True)
    first, second = (f"git+{pack.as_uri()}@{tag}" for tag in ("v1", "v2"))
    assert box.run("new", str(box.project), "--defaults", "--pack", first).code == 0
    change(pack, "return 1", "return 11")
    (pack / "pack.yaml").write_text((pack / "pack.yaml").read_text().replace("1.2", "2.0"))
    commit()
    subprocess.run(["git", "tag", "v2"], cwd=pack, check=True)
    assert box.update().verdicts() == {}
    before = box.state()
    told = box.run("update", str(box.project), "--pack", second, "--dry-run").out
    assert f"acme{' ' * 27}1.2 -> 2.0, {first} -> {second}, " in told
    assert box.state() == before
    ran = box.update("--pack", second)
    assert (ran.code, ran.verdicts()) == (0, {"OWNERS.py": "updated"})
    assert [item["after"]["reference"] for item in ran.json["packs"]] == [second]
    assert box.check().code == 0
    assert box.update("--pack", second).json["packs"] == []
    assert box.update("--undo", "--pack", first).code == 2
    elsewhere = pack.rename(pack.with_name("elsewhere"))
    assert box.update("--pack", str(elsewhere)).code == 0  # moved, with the same files
    assert box.update("--pack", str(tmp_path / "acme")).code == 2
    assert f"reference: {elsewhere}\n" in box.read(".scaffold/lock.yaml")
    assert box.check().code == 0


def test_a_pack_may_be_added_to_a_project(
    box: Box, pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box.new()
    monkeypatch.chdir(pack.parent)
    ran = box.update("--pack", "./acme")  # as seen from here
    assert (ran.code, ran.verdicts()["OWNERS.py"]) == (0, "added")
    assert 'reference: "../acme"\n' in box.read(".scaffold/lock.yaml")
    assert box.check().code == 0
    assert box.update("--undo").code == 0
    assert box.found() == {}


def test_a_pack_may_be_taken_out_of_a_project(made: Box, pack: Path, tmp_path: Path) -> None:
    before = made.state()
    other = write_pack(tmp_path / "other", {"data/MORE": "x\n"})
    declaration = other / "pack.yaml"
    declaration.write_text(declaration.read_text().replace("acme", "other"))
    assert made.update("--pack", str(other)).code == 0
    ran = made.update("--without-pack", "other")
    assert (ran.code, ran.verdicts()) == (0, {"MORE": "removed"})
    assert [(item["id"], item["after"]) for item in ran.json["packs"]] == [("other", None)]
    assert made.state() == before
    shutil.rmtree(pack)  # what is taken out need not be there
    text = made.run("update", str(made.project), "--without-pack", "acme", "--dry-run").out
    assert "Packs:\n  acme" in text
    assert "1.2 -> (none)" in text
    ran = made.update("--without-pack", "acme")
    assert (ran.code, ran.verdicts()) == (0, {"OWNERS.py": "removed"})
    assert made.state() == made.fresh()
    assert made.check().code == 0
    assert made.update("--undo", "--without-pack", "acme").code == 2
    assert made.update("--undo").code == 0
    assert made.state() == before


def test_a_file_of_a_pack_that_was_edited_stays_when_it_is_taken_out(made: Box) -> None:
    made.replace("OWNERS.py", "return 7", "return 77")
    ran = made.update("--without-pack", "acme")
    assert (ran.code, ran.conflicts()) == (3, ["OWNERS.py"])
    assert "return 77" in made.read("OWNERS.py")


def test_a_pack_whose_values_were_chosen_is_not_taken_out(box: Box, tmp_path: Path) -> None:
    green = (
        "title: green\nhelp: Calm.\norder: 30\noptions:\n  leaf: {type: int, default: 1, help: x}\n"
    )
    pack = write_pack(tmp_path / "acme", {"parts/color/green/part.yaml": green})
    words = ["--pack", str(pack), "--set", "color=green", "--set", "color.leaf=2", "--defaults"]
    assert box.run("new", str(box.project), *words).code == 0
    before = box.state()
    ran = box.update("--without-pack", "acme")
    assert ran.code == 2
    assert "color" in [problem["key"] for problem in ran.json["problems"]]
    assert "green" in ran.out
    assert box.state() == before
    assert box.update("--without-pack", "acme", "--set", "color=blue").code == 0
    lock = ".scaffold/lock.yaml"  # which remembers the leaf, for whoever takes the pack again
    assert {**box.state(), lock: ()} == {**box.fresh("color=blue"), lock: ()}


def test_a_pack_that_is_not_there_cannot_be_taken_out(made: Box) -> None:
    ran = made.update("--without-pack", "acne", "--without-pack", "other")
    assert ran.code == 2
    assert "--without-pack acne: the project has no pack of that id; it has acme" in ran.out
    assert "--without-pack other" in ran.out


def committing(repository: Path) -> Callable[[], None]:
    """What commits all that is in a new repository on the branch main."""
    names = ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL")
    own = {**os.environ, **{f"GIT_{name}": "x@y" for name in names}}

    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=repository, env=own, check=True)

    def commit() -> None:
        git("add", "--all")
        git("commit", "--quiet", "--message", "x")

    git("init", "--quiet", "--initial-branch", "main")
    return commit
