"""Decisions: their order, their reasons, and that a reason depends on the values alone."""

import pytest
from toy import answered, design_of, keyed, toy_catalogue

from scaffold.catalogue import Catalogue
from scaffold.decisions import Decision, decide, recommended
from scaffold.design import Value
from scaffold.parse import parse_design


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return toy_catalogue(tmp_path_factory.mktemp("toy"))


def decided(catalogue: Catalogue, **values: Value) -> dict[str, Decision]:
    decisions = decide(catalogue, design_of(catalogue, **values))
    assert len({decision.name for decision in decisions}) == len(decisions)
    return {decision.name: decision for decision in decisions}


def test_axes_come_in_order_each_with_its_notable_options_then_the_numbers(
    catalogue: Catalogue,
) -> None:
    assert list(decided(catalogue)) == [
        "task",
        "task.dim",
        "task.n_heads",
        "mixer",
        "mixer.n_groups",
        "reach",
        "vocabulary",
        "devices",
        "training",
        "training.steps",
        "training.shuffle",
        "launch",
        "parameters",
        "flops_per_token",
        "parameter_bytes",
        "gradient_bytes",
        "optimizer_bytes",
        "activation_bytes",
        "training_bytes",
        "cache_bytes_per_token",
    ]
    assert "cache_bytes_per_token" not in decided(catalogue, task="pictures")


def test_an_option_that_differs_from_its_default_is_told(catalogue: Catalogue) -> None:
    found = decided(catalogue, training__rate=0.5)["training.rate"]
    assert found == Decision("training.rate", 0.5, "rate (the default is 0.1)", "", "flag")
    assert "training.rate" not in decided(catalogue, training__rate=0.1)
    assert "training.micro_batch_size" not in decided(catalogue, training__batch_size=16)


def test_a_recommended_part_gives_its_reason(catalogue: Catalogue) -> None:
    task = decided(catalogue)["task"]
    assert task == Decision(
        "task", "words", "Needs no labels.", "https://example.org/words", "default"
    )
    assert decided(catalogue)["reach"].because == "What came before."


def test_another_choice_says_what_was_recommended(catalogue: Catalogue) -> None:
    assert decided(catalogue, mixer="full")["mixer"].because == (
        "Simple. (Chosen instead of shared, which is recommended: A smaller cache.)"
    )
    assert decided(catalogue, vocabulary="learned")["vocabulary"].because == (
        "Frequent pieces. (Chosen instead of bytes, which is recommended: Nothing to learn.)"
    )


def test_a_choice_that_another_forced_says_which(catalogue: Catalogue) -> None:
    found = decided(catalogue, launch="cluster")["devices"]
    assert found.value == "many"
    assert found.because == (
        "A copy on each. (one is not possible here: launch = cluster needs devices = many.)"
    )


def test_what_earlier_choices_leave_is_recommended(catalogue: Catalogue) -> None:
    design = design_of(catalogue, task="pictures")
    assert recommended(catalogue, design, "mixer") == "full"
    assert recommended(catalogue, design, "task") == "words"
    assert decided(catalogue, task="pictures")["mixer"].because == "Simple."


def test_a_reason_does_not_depend_on_the_origin(catalogue: Catalogue) -> None:
    values = keyed({"task__n_heads": 5, "mixer": "full", "training__rate": 0.5})
    everything = {**values, "task.dim": 320, "devices": "one", "training.rate": "5e-1"}
    told = [
        [
            (decision.name, decision.value, decision.because, decision.source)
            for decision in decide(catalogue, parse_design(catalogue, answered(given, origin)))
        ]
        for given, origin in ((values, "flag"), (everything, "file"))
    ]
    assert told[0] == told[1]


def test_a_number_comes_with_its_formula(catalogue: Catalogue) -> None:
    found = decided(catalogue, task__dim=48)
    assert found["parameters"] == Decision(
        "parameters", 48 * 48 + 48 * 2, "dim * dim + dim * n_groups", "", "derived"
    )
    parts = ("parameter_bytes", "gradient_bytes", "optimizer_bytes", "activation_bytes")
    assert found["training_bytes"].value == sum(int(found[name].value) for name in parts)


def test_every_origin_is_told(catalogue: Catalogue) -> None:
    found = decided(catalogue, task__n_heads=5)
    assert [found[key].origin for key in ("task", "task.dim", "task.n_heads")] == [
        "default",
        "moved",
        "flag",
    ]
