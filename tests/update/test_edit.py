"""`scaffold edit`: the questions again, with the answers from before."""

from collections.abc import Iterator

import pytest
from boxes import Box
from migrating import RENAMED_OPTION
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from scaffold import cli

ENTER, DOWN, UP, CLEAR, LEAVE = "\r", "\x1b[B", "\x1b[A", "\x15", "\x03"


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[PipeInput]:
    """A terminal on which keys can be pressed."""
    monkeypatch.setattr("scaffold.commands.edit.is_terminal", lambda: True)
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        yield pipe


def edit(box: Box, keys: PipeInput, typed: str) -> int:
    keys.send_text(typed)
    return cli.main(["edit", str(box.project)])


def test_enter_keeps_what_was_chosen(
    box: Box, keys: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    box.new("color=blue", "color.depth=9", "size.steps=7", "size.rate=0.5")
    before = box.state()
    assert edit(box, keys, ENTER * 9) == 0
    shown = capsys.readouterr().out
    assert "Recommended: 100. Until now: 7. how long" in shown
    assert "The design stays as it is." in shown
    assert "Nothing to do" in shown
    assert box.state() == before


def test_an_answer_is_changed_and_applied(
    box: Box, keys: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    box.new("size.rate=0.5")
    box.replace("src/project/train.py", "return 7", "return 77")
    assert edit(box, keys, ENTER + CLEAR + "20" + ENTER * 9) == 0  # steps, then width
    assert "size.width" in capsys.readouterr().out
    assert "half: 10" in box.read("scaffold.yaml")
    assert "return 77" in box.read("src/project/train.py")
    box.path("src/project/train.py").unlink()
    box.update("--undo")


def test_hidden_answers_are_offered_again(box: Box, keys: PipeInput) -> None:
    box.new("color.shade=7", "gloss=glossy")
    assert edit(box, keys, ENTER * 2 + DOWN + ENTER * 4) == 0
    assert "variant: blue" in box.read("scaffold.yaml")
    assert edit(box, keys, ENTER * 2 + UP + ENTER * 5) == 0
    assert box.state() == box.fresh("color.shade=7", "gloss=glossy")


def test_answers_of_before_are_offered_under_the_names_of_today(
    box: Box, keys: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    box.new("size.width=10")
    box.set_templates(RENAMED_OPTION)
    assert edit(box, keys, ENTER * 9) == 0
    shown = capsys.readouterr().out
    assert "Until now: 10. how wide" in shown
    assert "size.width = 10 -> size.breadth = 10" in shown
    assert box.state() == box.fresh("size.breadth=10")


def test_leaving_writes_nothing(
    box: Box, keys: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    box.new()
    before = box.state()
    assert edit(box, keys, CLEAR + "20" + ENTER + LEAVE) == 130
    assert "nothing is written" in capsys.readouterr().err
    assert box.state() == before


def test_an_option_in_the_way_is_told_at_the_review(
    box: Box, keys: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    part = "parts/size/small/part.yaml"
    text = box.templates.joinpath(part).read_text()
    rule = (
        "rules:\n  - {id: fits, check: half <= width, keys: [size.half, size.width],\n"
        "     reason: half of it is more than all of it, fix: choose a larger width}\n"
    )
    box.set_templates({part: text + rule})
    box.new("size.half=30")
    before = box.state()
    assert edit(box, keys, ENTER + CLEAR + "20" + ENTER * 9) == 2
    shown = capsys.readouterr()
    assert "half of it is more than all of it" in shown.out
    assert "half of it is more than all of it" in shown.err
    assert box.state() == before


def test_without_a_terminal_it_says_what_to_do(box: Box) -> None:
    box.new()
    ran = box.run("edit", str(box.project))
    assert ran.code == 2
    assert "scaffold update --set" in ran.err
