"""Questions: what is asked, in which order, what is offered, and what an answer excludes."""

import pytest
from toy import answered, problems_of, toy_catalogue

from scaffold.answers import Answer
from scaffold.catalogue import Catalogue
from scaffold.design import Value
from scaffold.errors import DesignError
from scaffold.questions import Question, missing_answers, next_question, prune, refusal


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return toy_catalogue(tmp_path_factory.mktemp("toy"))


def ask_all(catalogue: Catalogue, given: dict[str, Value]) -> list[Question]:
    """Every question, answered as given or as recommended."""
    answers: dict[str, Answer] = {}
    asked = []
    while (question := next_question(catalogue, answers)) is not None:
        asked.append(question)
        value = given.get(question.key, question.recommended)
        answers[question.key] = Answer(value, "asked")
    return asked


def test_asks_each_axis_then_its_options(catalogue: Catalogue) -> None:
    assert [question.key for question in ask_all(catalogue, {})] == [
        "task",
        "task.dim",
        "task.n_heads",
        "mixer",
        "mixer.n_groups",
        "vocabulary",
        "devices",
        "training.steps",
        "training.shuffle",
        "launch",
    ]


def test_does_not_ask_what_has_one_answer(catalogue: Catalogue) -> None:
    asked = [question.key for question in ask_all(catalogue, {"task": "pictures"})]
    assert asked == ["task", "devices", "training.steps", "training.shuffle", "launch"]


def test_a_disabled_choice_says_why(catalogue: Catalogue) -> None:
    reasons = {
        "one": "launch = cluster needs devices = many",
        "many": "launch = cluster excludes vocabulary = learned",
    }
    for devices, reason in reasons.items():
        given: dict[str, Value] = {"devices": devices, "vocabulary": "learned"}
        question = {q.key: q for q in ask_all(catalogue, given)}["launch"]
        told = {choice.value: choice.disabled_because or "" for choice in question.choices}
        assert (told["here"], told["cloud"]) == ("", "")
        assert reason in told["cluster"]


def test_asks_for_a_choice_with_reason(catalogue: Catalogue) -> None:
    question = next_question(catalogue, {})
    assert question is not None
    assert (question.key, question.kind) == ("task", "choice")
    assert question.title == "What is to be learned?"
    assert (question.recommended, question.because) == ("words", "Needs no labels.")
    assert [(c.value, c.title, c.help) for c in question.choices] == [
        ("words", "words", "Predicts the next word."),
        ("pictures", "pictures", "Classifies pictures."),
    ]


def test_recommends_the_value_that_follows_from_the_answers(catalogue: Catalogue) -> None:
    answers = answered({"task": "words", "task.dim": 64, "task.n_heads": 4, "mixer": "shared"})
    question = next_question(catalogue, answers)
    assert question is not None
    assert (question.key, question.recommended, question.kind) == ("mixer.n_groups", 1, "value")
    assert question.choices == ()
    assert question.help == "a whole number of at least 1"
    assert question.title == "Groups of heads (n_groups)?"


def test_a_boolean_is_a_choice(catalogue: Catalogue) -> None:
    question = {q.key: q for q in ask_all(catalogue, {})}["training.shuffle"]
    assert question.kind == "choice"
    assert [(c.value, c.title) for c in question.choices] == [(True, "true"), (False, "false")]


def test_refuses_answers_in_conflict(catalogue: Catalogue) -> None:
    with pytest.raises(DesignError):
        next_question(catalogue, answered({"task": "pictures", "mixer": "shared"}))


def test_a_value_is_judged_beside_the_other_answers(catalogue: Catalogue) -> None:
    answers = answered({"task": "words", "task.n_heads": 6})
    assert refusal(catalogue, answers, "mixer.n_groups", "3") is None
    problem = refusal(catalogue, answers, "mixer.n_groups", "4")
    assert problem is not None
    assert "task.n_heads = 6" in problem.rule
    word = refusal(catalogue, answers, "mixer.n_groups", "x")
    assert word is not None
    assert word.rule == "it must be a whole number"


def test_changing_an_answer_drops_what_no_longer_holds(catalogue: Catalogue) -> None:
    answers = answered(
        {
            "task": "pictures",
            "task.dim": 64,
            "mixer": "shared",
            "mixer.n_groups": 2,
            "launch": "here",
        }
    )
    assert list(prune(catalogue, answers)) == ["task", "task.dim", "launch"]


def test_every_open_axis_is_missing(catalogue: Catalogue) -> None:
    found = {problem.key: problem for problem in missing_answers(catalogue, {})}
    assert list(found) == ["task", "mixer", "reach", "vocabulary", "devices", "launch"]
    assert found["task"].rule == "it is not answered (words or pictures)"
    assert "--set task=words" in found["task"].fix
    assert "--defaults" in found["task"].fix


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"task": "pictures"}, ["devices", "launch"]),
        ({"task": "pictures", "devices": "one"}, ["launch"]),
        ({"task": "pictures", "devices": "one", "launch": "here"}, []),
        ({"task": "words", "devices": "many"}, ["mixer", "vocabulary", "launch"]),
        (
            {"task": "nonsense", "devices": "one"},
            ["task", "mixer", "reach", "vocabulary", "launch"],
        ),
        ({"launch": "cluster"}, ["task", "mixer", "reach"]),
    ],
)
def test_an_axis_with_one_answer_is_not_missing(
    catalogue: Catalogue, given: dict[str, Value], missing: list[str]
) -> None:
    found = [problem.key for problem in missing_answers(catalogue, answered(given))]
    # An answer that does not exist is told as such, not as missing.
    assert found == [key for key in missing if key not in given]


def test_the_answers_asked_for_make_a_design(catalogue: Catalogue) -> None:
    given: dict[str, Value] = {"vocabulary": "learned", "devices": "many"}
    answers = {q.key: given.get(q.key, q.recommended) for q in ask_all(catalogue, given)}
    assert problems_of(catalogue, **{key.replace(".", "__"): v for key, v in answers.items()}) == {}
