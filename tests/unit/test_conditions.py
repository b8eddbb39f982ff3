"""Axes and options that a choice elsewhere takes away, and estimates of which it leaves a share."""

from pathlib import Path

import pytest
from toy import FILES, answered, design_of, problems_of, toy_catalogue

from scaffold.answers import Answers
from scaffold.catalogue import Catalogue
from scaffold.decisions import decide
from scaffold.errors import TemplateError
from scaffold.estimates import estimate
from scaffold.questions import next_question

REACH, WORDS = "parts/reach/axis.yaml", "parts/task/words/part.yaml"
NO_REACH = {REACH: FILES[REACH] + "unless: {mixer: [full]}\n"}
NO_HEADS = {
    WORDS: FILES[WORDS].replace("ask: true, help: heads", "unless: {mixer: [full]}, help: heads")
}


def test_an_axis_is_not_there_beside_what_it_excludes(tmp_path: Path) -> None:
    catalogue = toy_catalogue(tmp_path, NO_REACH)
    assert "reach" in design_of(catalogue, mixer="shared").choices
    assert "reach" not in design_of(catalogue, mixer="full").choices
    problem = problems_of(catalogue, mixer="full", reach="past")["reach"]
    assert "reach does not exist with mixer = full" in problem.rule


def test_an_option_is_not_there_beside_what_it_excludes(tmp_path: Path) -> None:
    # What is worked out from heads goes with them.
    rules = NO_HEADS[WORDS].index("derived:"), NO_HEADS[WORDS].index("estimates:")
    text = NO_HEADS[WORDS]
    text = f"{text[: rules[0]]}derived: {{tokens_per_sample: length}}\n{text[rules[1] :]}"
    catalogue = toy_catalogue(tmp_path, {WORDS: text})
    design = design_of(catalogue, mixer="full")
    assert list(design["task"].options) == ["dim", "length"]
    assert "n_heads" not in design.values
    assert "task.n_heads" not in {decision.name for decision in decide(catalogue, design)}
    assert design_of(catalogue, mixer="shared")["task"].options["n_heads"] == 6
    problem = problems_of(catalogue, mixer="full", task__n_heads=4)["task.n_heads"]
    assert problem.rule == "does not exist with mixer = full"
    assert "task.n_heads" not in questions_of(catalogue, answered({"mixer": "full"}))


def questions_of(catalogue: Catalogue, answers: Answers) -> list[str]:
    """The keys of all that is asked."""
    keys = []
    answers = dict(answers)
    while (question := next_question(catalogue, answers)) is not None:
        keys.append(question.key)
        answers |= answered({question.key: question.recommended})
    return keys


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (REACH, FILES[REACH] + "unless: {mixer: [fuller]}\n"),
        (WORDS, FILES[WORDS].replace("help: context", "unless: {mixture: [full]}, help: context")),
    ],
)
def test_conditions_name_what_exists(tmp_path: Path, path: str, text: str) -> None:
    with pytest.raises(TemplateError, match="unless: "):
        toy_catalogue(tmp_path, {path: text})


def test_estimates_of_an_axis_hold_for_their_share(tmp_path: Path) -> None:
    path = "parts/reach/past/part.yaml"
    text = FILES[path] + "shares: {mixer: length / dim}\n"
    catalogue = toy_catalogue(tmp_path, {path: text})
    found = estimate(catalogue, design_of(catalogue, task__dim=384, task__length=96))
    assert found.parameters == 384 * 384 + 96 * 2
    assert found.formulas["parameters"] == "dim * dim + (length / dim) * (dim * n_groups)"


def test_what_generation_keeps_of_a_text_is_a_number_of_its_own(tmp_path: Path) -> None:
    text = FILES[WORDS].replace("cache_bytes_per_token: 8", "cache_bytes_per_sequence: 12")
    catalogue = toy_catalogue(tmp_path, {WORDS: text})
    design = design_of(catalogue, task__dim=48)
    found = estimate(catalogue, design)
    assert (found.cache_bytes_per_token, found.cache_bytes_per_sequence) == (None, 12 * 48)
    names = {decision.name for decision in decide(catalogue, design)}
    assert "cache_bytes_per_sequence" in names
    assert "cache_bytes_per_token" not in names
