"""Answers to designs: defaults that adapt and move, and all problems at once."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy import answered, design_of, problems_of, toy_catalogue

from scaffold.answers import Answer
from scaffold.catalogue import Catalogue
from scaffold.design import Value
from scaffold.errors import DesignError, Problem
from scaffold.keys import known_keys
from scaffold.parse import parse_design


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return toy_catalogue(tmp_path_factory.mktemp("toy"))


def test_no_answers_give_the_default_design(catalogue: Catalogue) -> None:
    design = design_of(catalogue)
    assert {choice.axis: choice.variant for choice in design} == {
        "task": "words",
        "mixer": "shared",
        "reach": "past",
        "vocabulary": "bytes",
        "devices": "one",
        "training": "steps",
        "launch": "here",
    }
    assert dict(design["task"].options) == {"dim": 384, "n_heads": 6, "length": 256}
    expected = {"n_groups": 2, "head_dim": 64, "world": "1", "micro_batch_size": 32}
    assert {name: design.values[name] for name in expected} == {**expected, "world": 1}
    assert set(design.origins.values()) == {"default"}
    assert design.project.name == "experiment"
    assert design.project.package == "experiment"
    assert design.project.description == "Words, trained with PyTorch."


def test_values_take_the_type_of_their_option(catalogue: Catalogue) -> None:
    design = design_of(
        catalogue,
        task__dim="768",
        training__rate="5e-1",
        training__shuffle="no",
        training__order="no",
        training__folder="no",
    )
    options = design["training"].options
    found = {name: options[name] for name in ("rate", "shuffle", "order", "folder")}
    assert found == {"rate": 0.5, "shuffle": False, "order": "no", "folder": "no"}
    assert design.origins["training.rate"] == "flag"
    assert design.origins["training.steps"] == "default"


def test_a_default_expression_follows_the_answers(catalogue: Catalogue) -> None:
    design = design_of(catalogue, task__n_heads=4)
    assert design.values["n_groups"] == 1
    assert design.origins["mixer.n_groups"] == "default"


def test_a_contradicted_default_moves_to_a_round_value(catalogue: Catalogue) -> None:
    design = design_of(catalogue, task__n_heads=5)
    assert dict(design["task"].options) == {"dim": 320, "n_heads": 5, "length": 256}
    assert design.origins["task.dim"] == "moved"


def test_two_defaults_move_where_one_is_not_enough(catalogue: Catalogue) -> None:
    design = design_of(catalogue, mixer__n_groups=5)
    options = design["task"].options
    assert options["n_heads"] == 10
    assert options["dim"] == 320
    assert design.values["n_groups"] == 5


def test_a_default_moves_for_a_value_behind_a_derived_one(catalogue: Catalogue) -> None:
    design = design_of(catalogue, devices="many", devices__n_devices=7)
    assert design.values["batch_size"] == 56
    assert design.origins["training.batch_size"] == "moved"


def test_variants_move_for_a_chosen_one(catalogue: Catalogue) -> None:
    design = design_of(catalogue, task="pictures")
    assert [design[axis].variant for axis in ("mixer", "reach")] == ["full", "all"]
    assert "vocabulary" not in design.choices
    assert design_of(catalogue, reach="all")["task"].variant == "pictures"
    assert design_of(catalogue, launch="cluster")["devices"].variant == "many"
    assert design_of(catalogue, vocabulary="learned")["task"].variant == "words"


def test_an_option_moves_the_variant_to_one_that_has_it(catalogue: Catalogue) -> None:
    design = design_of(catalogue, devices__n_devices=8)
    assert (design["devices"].variant, design.origins["devices"]) == ("many", "moved")
    learned = design_of(catalogue, vocabulary__size=300)
    assert (learned["vocabulary"].variant, learned.values["size"]) == ("learned", 300)
    assert learned["task"].variant == "words"
    stays = design_of(catalogue, mixer__n_groups=3)
    assert (stays["mixer"].variant, stays.origins["mixer"]) == ("shared", "default")
    problems = problems_of(catalogue, devices="one", devices__n_devices=8)
    assert problems["devices.n_devices"].rule == "devices = one has no such option"
    clash = problems_of(catalogue, launch="cluster", vocabulary__size=300)
    assert clash["vocabulary.size"].rule == "vocabulary = bytes has no such option"


def test_a_chosen_pair_in_conflict_names_both(catalogue: Catalogue) -> None:
    problems = problems_of(catalogue, task__n_heads=5, task__dim=384)
    assert set(problems) == {"task.n_heads"}
    problem = problems["task.n_heads"]
    assert problem.rule == "with task.dim = 384, 384 features do not divide into 5 heads"
    assert problem.fix == "choose n_heads that divides 384"
    assert problem.value == "5"


def test_a_conflict_through_a_derived_value_names_both(catalogue: Catalogue) -> None:
    chosen = {"devices__n_devices": 5, "training__batch_size": 7, "training__micro_batch_size": 1}
    problems = problems_of(catalogue, devices="many", **chosen)
    problem = problems["training.micro_batch_size"]
    assert "devices.n_devices = 5" in problem.rule
    assert "training.batch_size = 7" in problem.rule


def test_chosen_variants_in_conflict_name_both(catalogue: Catalogue) -> None:
    problems = problems_of(catalogue, task="pictures", mixer="shared", vocabulary="bytes")
    assert set(problems) == {"mixer", "vocabulary"}
    assert problems["mixer"].rule == (
        "it does not go with task = pictures: mixer = shared needs task = words"
        " (pictures have no cache)"
    )
    assert "vocabulary exists only with task = words" in problems["vocabulary"].rule
    excluded = problems_of(catalogue, launch="cluster", vocabulary="learned")
    assert "launch = cluster excludes vocabulary = learned" in excluded["launch"].rule


def test_all_problems_come_at_once(catalogue: Catalogue) -> None:
    answers = answered(
        {
            "tsak": "words",
            "mixer": "sharde",
            "task.dim": "wide",
            "training.steps": "0",
            "training.shuffle": "maybe",
            "vocabulary": "bytes",
            "vocabulary.size": "300",
            "training.batch_size": "10",
            "training.micro_batch_size": "3",
            "project.name": "-x",
            "project.package": "class",
        }
    )
    earlier = Problem("--answers", "x.yaml", "the file is empty", "give one")
    with pytest.raises(DesignError) as caught:
        parse_design(catalogue, answers, [earlier])
    problems = {problem.key: problem for problem in caught.value.problems}
    assert caught.value.problems[0] is earlier
    assert set(problems) - {"--answers"} == {
        "tsak",
        "mixer",
        "task.dim",
        "training.steps",
        "training.shuffle",
        "vocabulary.size",
        "training.micro_batch_size",
        "project.name",
        "project.package",
    }
    assert problems["tsak"].fix == "did you mean task?"
    assert problems["mixer"].fix.endswith("did you mean shared?")
    assert problems["training.steps"].rule == "it must be at least 1"
    assert problems["vocabulary.size"].rule == "vocabulary = bytes has no such option"
    assert problems["vocabulary.size"].fix == "leave it out, or choose vocabulary = learned"


def test_a_refused_value_causes_no_second_problem(catalogue: Catalogue) -> None:
    assert set(problems_of(catalogue, task__n_heads="many", task__dim=385)) == {"task.n_heads"}


def test_an_option_of_an_absent_axis_is_a_problem(catalogue: Catalogue) -> None:
    problems = problems_of(catalogue, task="pictures", vocabulary__size=300)
    assert problems["vocabulary.size"].rule == "this design has no vocabulary"


def test_a_design_that_nothing_completes_is_a_problem(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    needy = "title: x\nhelp: x\norder: 30\nrequires: {vocabulary: [learned]}\n"
    catalogue = toy_catalogue(
        tmp_path_factory.mktemp("needy"), {"parts/launch/moon/part.yaml": needy}
    )
    assert design_of(catalogue, launch="moon")["vocabulary"].variant == "learned"
    problems = problems_of(catalogue, launch="moon", task="pictures")
    assert problems["launch"].rule == "no design has task = pictures, launch = moon"


def test_what_every_variant_of_an_axis_needs_is_said(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Where nothing fits, the nearest are named with what they need; what many need, once."""
    part = "title: x\nhelp: x\norder: {}\nrequires: {{{}}}\n"
    axis = "title: x\nquestion: x?\norder: {}\n"
    catalogue = toy_catalogue(
        tmp_path_factory.mktemp("formats"),
        {
            "parts/export/axis.yaml": axis.format(91),
            "parts/export/never/part.yaml": "title: x\nhelp: x\norder: 10\n",
            "parts/export/always/part.yaml": "title: x\nhelp: x\norder: 20\n",
            "parts/format/axis.yaml": axis.format(92) + "when: {export: [always]}\n",
            "parts/format/one/part.yaml": part.format(10, "task: [pictures]"),
            "parts/format/two/part.yaml": part.format(20, "task: [pictures]"),
            "parts/format/three/part.yaml": part.format(30, "launch: [here]"),
        },
    )
    design = design_of(catalogue, export="always", task="words", launch="here")
    assert design["format"].variant == "three"
    assert design_of(catalogue, export="always", launch="cloud")["task"].variant == "pictures"
    problems = problems_of(catalogue, export="always", task="words", launch="cloud")
    assert problems["export"].rule.endswith(
        "no format fits: one or two needs task = pictures; three needs launch = here"
    )


def test_keys_may_name_the_variant(catalogue: Catalogue) -> None:
    design = parse_design(catalogue, {"task.variant": Answer("pictures", "file")})
    assert design["task"].variant == "pictures"
    assert design.origins["task"] == "file"


def test_defaults_keep_the_limits(tmp_path_factory: pytest.TempPathFactory) -> None:
    text = "title: x\nhelp: x\norder: 5\noptions:\n  k: {type: int, default: '= dim * 2'"
    catalogue = toy_catalogue(
        tmp_path_factory.mktemp("limits"),
        {"parts/launch/limited/part.yaml": f"{text}, maximum: 100, help: k}}\n"},
    )
    assert design_of(catalogue).values["k"] == 100
    assert design_of(catalogue, task__dim=48).values["k"] == 96


def test_a_default_without_a_value_is_a_problem(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    text = "title: x\nhelp: x\norder: 5\nderived: {k: 10 // (length - 2)}\n"
    catalogue = toy_catalogue(
        tmp_path_factory.mktemp("undefined"), {"parts/launch/risky/part.yaml": text}
    )
    assert design_of(catalogue).values["k"] == 0
    assert "cannot be worked out" in problems_of(catalogue, task__length=2)["task.length"].rule


KEYS = [
    "task",
    "mixer",
    "reach",
    "vocabulary",
    "devices",
    "launch",
    "task.dim",
    "task.n_heads",
    "mixer.n_groups",
    "vocabulary.size",
    "devices.n_devices",
    "training.batch_size",
    "training.rate",
    "training.shuffle",
    "training.folder",
    "project.name",
    "project.package",
]
NAMES = ["words", "pictures", "shared", "full", "past", "all", "learned", "many", "cluster"]
VALUES: st.SearchStrategy[Value] = st.one_of(
    st.sampled_from(NAMES),
    st.integers(-2, 64),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.text(max_size=8),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text(max_size=6)), VALUES, max_size=8))
def test_any_answers_are_a_design_or_problems(
    catalogue: Catalogue, values: dict[str, Value]
) -> None:
    try:
        design = parse_design(catalogue, answered(values))
    except DesignError as error:
        assert error.problems
        assert all(problem.rule and problem.fix for problem in error.problems)
        assert str(error)
    else:
        again = parse_design(catalogue, dict(_all_answers(catalogue, design.values, values)))
        assert again.values == design.values


def _all_answers(
    catalogue: Catalogue, found: object, values: dict[str, Value]
) -> Iterator[tuple[str, Answer]]:
    """The same answers, given in another order and by another origin."""
    assert found
    for key in reversed(list(values)):
        assert key in known_keys(catalogue)
        yield key, Answer(values[key], "file")
