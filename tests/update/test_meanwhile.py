"""What happens to a project while it is updated, and files that are not what they seem."""

import errno
import os
from pathlib import Path

import pytest
from boxes import LOGO, Box

from scaffold import transaction
from scaffold.conflict_marks import has_marks
from scaffold.packs import Loaded, make_tree
from scaffold.plan import RenderPlan
from scaffold.render import Tree
from scaffold.staging import WRITER

TRAINS = "src/project/train.py"


def test_a_design_that_is_saved_meanwhile_is_not_written_over(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    box.new()

    def saving(loaded: Loaded, plan: RenderPlan) -> Tree:
        box.write("scaffold.yaml", box.read("scaffold.yaml") + "# mine\n")
        return make_tree(loaded, plan)

    monkeypatch.setattr("scaffold.update.make_tree", saving)
    ran = box.update("--set", "size.steps=9")
    assert ran.code == 2
    assert "changed in the meantime" in ran.out
    assert box.read("scaffold.yaml").endswith("# mine\n")
    assert "STEPS = 100" in box.read("src/project/train.py")


def test_values_on_several_lines_are_not_torn_apart(box: Box) -> None:
    box.new()
    text = box.read("scaffold.yaml")
    assert "description:" in text
    lines = [
        "  description: >\n    Of several\n    lines" if "description:" in line else line
        for line in text.splitlines()
    ]
    box.write("scaffold.yaml", "\n".join(lines) + "\n")
    assert box.update("--set", "project.description=New").code == 0
    assert "description: New\n" in box.read("scaffold.yaml")
    assert box.check().code == 0


def test_an_edit_that_does_not_say_what_is_applied_is_refused(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    box.new()
    before = box.state()
    monkeypatch.setattr("scaffold.update.with_values", lambda text, *_: text)
    ran = box.update("--set", "project.description=New")
    assert ran.code == 2
    assert "on one line" in ran.out
    assert box.state() == before


def test_what_cannot_be_written_is_named(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    box.new()
    before = box.state()
    replace = os.replace

    def refusing(source: Path, target: Path) -> None:
        if target.name == "train.py":
            raise PermissionError(errno.EACCES, "Permission denied", str(source), None, str(target))
        replace(source, target)

    monkeypatch.setattr(os, "replace", refusing)
    ran = box.update("--set", "size.steps=9")
    assert ran.code == 2
    assert f"{box.path('src/project/train.py')} cannot be written: Permission denied" in ran.out
    assert box.state() == before


def test_a_lock_in_conflict_says_what_to_do(box: Box) -> None:
    box.new()
    text = box.read(".scaffold/lock.yaml")
    box.write(".scaffold/lock.yaml", f"<<<<<<< HEAD\n{text}=======\n{text}>>>>>>> side\n")
    for ran in (box.update(), box.check()):
        assert ran.code == 2
        assert "`git checkout --ours .scaffold`" in ran.out


def test_a_file_beside_a_link_does_not_stop_later_updates(box: Box) -> None:
    box.new()
    box.path("logo.bin").unlink()
    box.path("logo.bin").symlink_to("elsewhere")
    for number in (1, 2):
        box.set_templates({"data/logo.bin": LOGO + bytes([number])})
        ran = box.update()
        assert ran.code == 3
        assert all("yours is kept" in item["why"] for item in ran.json["conflicts"][:1])
        assert "distinct types" not in ran.out
        assert os.readlink(box.path("logo.bin")) == "elsewhere"
    assert box.update().code == 0


@pytest.fixture
def no_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system without locks, as some that lie on another machine."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)


@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_run_is_not_taken_back_by_another(box: Box) -> None:
    box.new()
    before = box.state()
    with transaction.only_writer(box.project):
        box.path(transaction.ACTIVE).mkdir()  # it has begun
        for ran in (box.update("--set", "size.steps=9"), box.check()):
            assert ran.code == 2
            assert f"process {os.getpid()} on" in ran.out
            assert "remove" in ran.out
        assert box.path(transaction.ACTIVE).is_dir()
    assert box.update("--set", "size.steps=9").code == 0
    assert box.update("--undo").code == 0
    assert box.state() == before
    assert not box.path(WRITER).exists()


@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_killed_run_is_named(box: Box) -> None:
    box.new()
    box.write(WRITER, "process 1\x1b[2J\n")
    ran = box.update("--set", "size.steps=9")
    assert ran.code == 2
    assert "\x1b" not in ran.out
    box.path(WRITER).unlink()
    assert box.update("--set", "size.steps=9").code == 0


@pytest.mark.parametrize("name", ["transaction", "undo", "undo.earlier"])
def test_folders_of_the_tool_that_are_links_are_refused(
    box: Box, tmp_path: Path, name: str
) -> None:
    box.new()
    outside = tmp_path / "outside"
    outside.mkdir()
    box.path(f".scaffold/{name}").symlink_to(outside)
    ran = box.update("--set", "size.steps=9")
    assert ran.code == 2
    assert "no link" in ran.out
    assert list(outside.iterdir()) == []


def test_a_journal_that_is_no_file_is_refused(box: Box) -> None:
    box.new()
    box.path(".scaffold/transaction").mkdir()
    os.mkfifo(box.path(".scaffold/transaction/journal.json"))
    for ran in (box.update("--set", "size.steps=9"), box.check()):
        assert ran.code == 2
        assert "no ordinary file" in ran.out


def test_a_key_of_the_lock_that_is_twice_is_refused(box: Box) -> None:
    box.new()
    text = box.read(".scaffold/lock.yaml")
    box.write(".scaffold/lock.yaml", text + "packs: {x: {version: '1', digest: '2'}}\n")
    assert "a key is twice" in box.update().out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<<<<<<< yours\nx\n=======\ny\n>>>>>>> theirs\n", True),
        ("<<<<<<< yours:a\r\nx\r\n=======\r\ny\r\n>>>>>>> theirs:b\r\n", True),
        ("<<<<<<< yours\nx\n>>>>>>> theirs\n", False),
        ("=======\n>>>>>>> theirs\n<<<<<<< yours\n", False),
        (" <<<<<<< yours\n=======\n>>>>>>> theirs\n", False),
        ("<<<<<<< HEAD\n=======\n>>>>>>> main\n", False),
        ("<<<<<<< yours\n=======\n" * 20000, False),  # in one pass
    ],
)
def test_marks_are_those_of_a_whole_conflict(text: str, expected: bool) -> None:
    assert has_marks(text.encode()) is expected


def test_a_folder_within_a_project_is_told_where_the_project_is(box: Box) -> None:
    box.new()
    ran = box.run("check", str(box.path("src/project")))
    assert (ran.code, ran.err.strip().endswith(f"; {box.project} is one")) == (2, True)


def test_an_undo_without_files_lists_none(box: Box) -> None:
    box.new()
    box.path("logo.bin").unlink()
    assert box.update().code == 0
    ran = box.run("update", str(box.project), "--undo")
    assert (ran.code, ran.out) == (0, "The last update is undone.\n")


def test_a_design_that_is_no_yaml_is_named_once(box: Box) -> None:
    box.new()
    box.write("scaffold.yaml", "")
    assert "\n  scaffold.yaml: the file is empty\n" in box.run("check", str(box.project)).err


@pytest.mark.parametrize("names", [("yours", "theirs"), ("HEAD", "main")])
def test_an_example_of_a_conflict_is_none(box: Box, names: tuple[str, str]) -> None:
    box.new()
    example = f"\n```\n<<<<<<< {names[0]}\na\n=======\nb\n>>>>>>> {names[1]}\n```\n"
    box.write(TRAINS, box.read(TRAINS) + example)
    assert box.found() == {TRAINS: "edited"}
    ran = box.update("--set", "size.steps=9")
    assert (ran.code, ran.verdicts()[TRAINS]) == (0, "merged")
    assert example in box.read(TRAINS)
    assert box.check().code == 0
