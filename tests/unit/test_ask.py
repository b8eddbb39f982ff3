"""The questions on a terminal, driven by keys."""

from collections.abc import Callable, Iterator

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from toy import toy_catalogue

from scaffold.answers import Answer, Answers
from scaffold.ask import ask_design
from scaffold.catalogue import Catalogue
from scaffold.design import Value

ENTER, DOWN, UP, ESCAPE, CLEAR, LEAVE = "\r", "\x1b[B", "\x1b[A", "\x1b", "\x15", "\x03"
NAMED = {"project.name": Answer("mine", "default")}


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return toy_catalogue(tmp_path_factory.mktemp("toy"))


@pytest.fixture
def keys() -> Iterator[PipeInput]:
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        yield pipe


class Summaries:
    """Remembers what was shown for review."""

    def __init__(self) -> None:
        self.shown: list[dict[str, object]] = []

    def __call__(self, answers: Answers) -> str:
        self.shown.append({key: answer.value for key, answer in answers.items()})
        return "SUMMARY"


def asked(
    catalogue: Catalogue, pipe: PipeInput, typed: str, summarize: Callable[[Answers], str]
) -> dict[str, object]:
    pipe.send_text(typed)
    answers = ask_design(catalogue, NAMED, summarize)
    assert answers["project.name"] == NAMED["project.name"]
    assert {answer.origin for key, answer in answers.items() if key not in NAMED} <= {"asked"}
    return {key: answer.value for key, answer in answers.items() if key not in NAMED}


RECOMMENDED = {
    "task": "words",
    "task.dim": "384",
    "task.n_heads": "6",
    "mixer": "shared",
    "mixer.n_groups": "2",
    "vocabulary": "bytes",
    "devices": "one",
    "training.steps": "1000",
    "training.shuffle": True,
    "launch": "here",
}


def test_enter_takes_every_recommendation(
    catalogue: Catalogue, keys: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    summaries = Summaries()
    assert asked(catalogue, keys, ENTER * 11, summaries) == RECOMMENDED
    assert summaries.shown == [{"project.name": "mine", **RECOMMENDED}]
    shown = capsys.readouterr().out
    assert "Recommended: words. Needs no labels." in shown
    assert "Recommended: 384. wide" in shown
    assert "SUMMARY" in shown


def test_other_answers_and_typed_values(catalogue: Catalogue, keys: PipeInput) -> None:
    typed = ENTER + CLEAR + "64" + ENTER + CLEAR + "4" + ENTER  # task, dim, n_heads
    typed += DOWN + ENTER  # mixer full, which has no options
    typed += DOWN + ENTER + CLEAR + "300" + ENTER  # vocabulary learned, its size
    typed += DOWN + ENTER + ENTER + DOWN + ENTER  # devices, steps, shuffle no
    # Cluster is disabled beside a learned vocabulary: one step down is the one after.
    typed += DOWN + ENTER + ENTER
    assert asked(catalogue, keys, typed, Summaries()) == {
        "task": "words",
        "task.dim": "64",
        "task.n_heads": "4",
        "mixer": "full",
        "vocabulary": "learned",
        "vocabulary.size": "300",
        "devices": "many",
        "training.steps": "1000",
        "training.shuffle": False,
        "launch": "cloud",
    }


def test_a_bad_value_is_not_accepted(catalogue: Catalogue, keys: PipeInput) -> None:
    bad = CLEAR + "x" + ENTER + CLEAR + "7" + ENTER  # no number; below the minimum of 8
    typed = ENTER + bad + CLEAR + "96" + ENTER + ENTER * 9
    assert asked(catalogue, keys, typed, Summaries())["task.dim"] == "96"


@pytest.mark.parametrize("back", [1, 2])
def test_escape_goes_back(catalogue: Catalogue, keys: PipeInput, back: int) -> None:
    # At the question after task, dim and n_heads, which is on the mixer.
    again = CLEAR + "12" + ENTER if back == 1 else CLEAR + "96" + ENTER + CLEAR + "12" + ENTER
    typed = ENTER * 3 + ESCAPE * back + again + ENTER * 8
    found = asked(catalogue, keys, typed, Summaries())
    assert found["task.n_heads"] == "12"
    assert found["task.dim"] == ("384" if back == 1 else "96")
    assert list(found) == list(RECOMMENDED)


def test_escape_at_the_first_question_asks_it_again(catalogue: Catalogue, keys: PipeInput) -> None:
    assert asked(catalogue, keys, ESCAPE + ENTER * 11, Summaries()) == RECOMMENDED


def test_escape_in_the_review_reopens_the_last_question(
    catalogue: Catalogue, keys: PipeInput
) -> None:
    typed = ENTER * 10 + ESCAPE + DOWN + ENTER * 2
    assert asked(catalogue, keys, typed, Summaries()) == {**RECOMMENDED, "launch": "cloud"}
    typed = ENTER * 10 + DOWN + ENTER + ESCAPE + ENTER
    assert asked(catalogue, keys, typed, Summaries()) == RECOMMENDED


def test_leaving_at_any_time_is_an_interrupt(catalogue: Catalogue, keys: PipeInput) -> None:
    for typed in (LEAVE, ENTER + LEAVE, ENTER * 10 + LEAVE, ENTER * 10 + DOWN * 3 + ENTER):
        with pytest.raises(KeyboardInterrupt):
            asked(catalogue, keys, typed, Summaries())


def test_starting_again_forgets_everything(catalogue: Catalogue, keys: PipeInput) -> None:
    typed = ENTER * 3 + DOWN + ENTER + ENTER * 5 + DOWN * 2 + ENTER + ENTER * 11
    summaries = Summaries()
    assert asked(catalogue, keys, typed, summaries) == RECOMMENDED
    assert [shown["mixer"] for shown in summaries.shown] == ["full", "shared"]


def test_one_answer_can_be_changed_in_the_review(catalogue: Catalogue, keys: PipeInput) -> None:
    change_heads = DOWN + ENTER + DOWN * 2 + ENTER + CLEAR + "3" + ENTER
    summaries = Summaries()
    found = asked(catalogue, keys, ENTER * 10 + change_heads + ENTER * 2, summaries)
    # Two groups do not divide three heads, so that question came again.
    assert found == {**RECOMMENDED, "task.n_heads": "3", "mixer.n_groups": "1"}
    assert len(summaries.shown) == 2


def test_changing_the_task_leaves_only_what_still_holds(
    catalogue: Catalogue, keys: PipeInput
) -> None:
    change_task = DOWN + ENTER + ENTER + DOWN + ENTER
    found = asked(catalogue, keys, ENTER * 10 + change_task + ENTER, Summaries())
    assert found == {
        "task": "pictures",
        "task.dim": "384",
        "task.n_heads": "6",
        "devices": "one",
        "training.steps": "1000",
        "training.shuffle": True,
        "launch": "here",
    }


EARLIER: dict[str, Value] = {
    "task.dim": 64,
    "task.n_heads": 4,
    "mixer": "full",
    "training.shuffle": False,
}


def test_earlier_answers_are_offered(
    catalogue: Catalogue, keys: PipeInput, capsys: pytest.CaptureFixture[str]
) -> None:
    keys.send_text(ENTER * 10)
    answers = ask_design(catalogue, NAMED, lambda _: "", {**EARLIER, "launch": "cluster"})
    found = {key: answer.value for key, answer in answers.items()}
    expected = {**RECOMMENDED, "task.dim": "64", "task.n_heads": "4", "mixer": "full"}
    expected.pop("mixer.n_groups")
    # A cluster needs several devices: what is not possible any more is not offered.
    assert found == {"project.name": "mine", **expected, "training.shuffle": False}
    shown = capsys.readouterr().out
    assert "Recommended: 384. Until now: 64. wide" in shown
    assert "Recommended: words. Needs no labels." in shown


def test_an_answer_that_another_one_hid_is_offered_again(
    catalogue: Catalogue, keys: PipeInput
) -> None:
    typed = ENTER + CLEAR + "64" + ENTER  # task words, and its width
    typed += ESCAPE + ESCAPE + DOWN + ENTER  # back to the task: pictures
    typed += ESCAPE + UP + ENTER + ENTER  # back again: words, with the width of before
    keys.send_text(typed + CLEAR + "4" + ENTER * 9)
    answers = ask_design(catalogue, NAMED, lambda _: "")
    assert (answers["task"].value, answers["task.dim"].value) == ("words", "64")
