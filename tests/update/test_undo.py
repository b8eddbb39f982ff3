"""`scaffold update --undo` brings back every byte, or says why not."""

import os

import pytest
from boxes import Box

TRAINS = "src/project/train.py"


def test_the_last_update_is_undone(box: Box) -> None:
    box.new()
    box.replace(TRAINS, "return 7", "return 77")
    box.path(TRAINS).chmod(0o700)
    box.path("src/project/red.py").chmod(0o600)
    box.replace("scaffold.yaml", "steps: 100", "steps: 9")
    first = box.state()
    assert box.update("--set", "color=blue").code == 0
    assert box.update("--undo").code == 0
    assert box.state() == first
    assert box.update("--set", "color=blue").code == 0
    second = box.state()
    assert box.update("--set", "track=log").code == 0
    ran = box.run("update", str(box.project), "--undo")
    assert ran.code == 0
    assert "src/project/track.py" in ran.out
    assert box.state() == second
    assert box.run("update", str(box.project), "--undo").code == 2
    assert box.state() == second


def test_an_update_with_conflicts_is_undone(box: Box) -> None:
    box.new()
    box.replace(TRAINS, "STEPS = 100", "STEPS = 123")
    before = box.state()
    assert box.update("--set", "size.steps=9").code == 3
    assert box.update("--undo").json == {"undone": ["README.md", "scaffold.yaml", TRAINS]}
    assert box.state() == before


@pytest.mark.parametrize("edit", ["changed", "deleted", "came back", "mode"])
def test_files_that_were_edited_since_are_not_undone(box: Box, edit: str) -> None:
    box.new()
    assert box.update("--set", "size.steps=9", "--set", "color=blue").code == 0
    name = {"came back": "src/project/red.py"}.get(edit, TRAINS)
    if edit == "changed":
        box.replace(TRAINS, "return 7", "return 77")
    elif edit == "deleted":
        box.path(TRAINS).unlink()
    elif edit == "mode":
        box.path(TRAINS).chmod(0o755)
    else:
        box.write(name, "mine\n")
    before = box.state()
    ran = box.update("--undo")
    assert ran.code == 2
    assert ran.json["problems"][0]["rule"].splitlines()[1:] == [f"  {name}"]
    assert box.state() == before


def test_there_is_nothing_to_undo(box: Box) -> None:
    box.new()
    ran = box.run("update", str(box.project), "--undo")
    assert (ran.code, ran.out) == (2, "")
    assert "no update to undo" in ran.err
    assert box.run("update", str(box.project), "--undo", "--dry-run").code == 2


def test_what_is_kept_for_undoing_is_out_of_the_way(box: Box) -> None:
    box.new()
    assert box.update("--set", "size.steps=9").code == 0
    assert box.read(".scaffold/undo/.gitignore") == "*\n"
    assert sorted(os.listdir(box.path(".scaffold"))) == ["base.tar.bz2", "lock.yaml", "undo"]


def test_an_update_that_changes_nothing_keeps_the_last_one(box: Box) -> None:
    box.new()
    before = box.state()
    assert box.update("--set", "size.steps=9").code == 0
    assert box.run("update", str(box.project)).out.startswith("Nothing to do")
    assert box.update("--undo").code == 0
    assert box.state() == before
