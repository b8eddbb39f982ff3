"""Policy: what a team rules holds for every answer, and its reason is told wherever it does."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from making import write_pack
from toy import answered, design_of, problems_of

from scaffold.answers import Answer
from scaffold.catalogue import Axis, Catalogue
from scaffold.decisions import decide
from scaffold.design import Value
from scaffold.design_file import design_text
from scaffold.equivalent import needed_answers
from scaffold.errors import DesignError, PackError
from scaffold.estimates import estimate
from scaffold.explanation import explain
from scaffold.lock import make_lock
from scaffold.packs import load
from scaffold.parse import parse_design
from scaffold.plan import make_plan
from scaffold.questions import missing_answers, next_question
from scaffold.rulings import Ruling

POLICY = """\
policy:
  devices: {locked: many, reason: we have a cluster}
  vocabulary: {default: learned, reason: ours is learned}
  launch: {allowed: [here, cloud], reason: the queue is full}
  task.dim: {locked: 512, reason: kernels are tuned for it}
  training.steps: {default: 5000, minimum: 100, maximum: 9000, reason: shorter runs say nothing}
  training.order: {allowed: [slow, 'no'], reason: fast is broken}
  training.shuffle: {locked: true, reason: our data is sorted}
"""

pytestmark = pytest.mark.usefixtures("toy")


def catalogue_of(root: Path, policy: str) -> Catalogue:
    return load([str(write_pack(root / "acme", more=policy))], Path()).catalogue


@pytest.fixture
def ruled(tmp_path: Path, toy: Path) -> Catalogue:
    assert toy.is_dir()
    return catalogue_of(tmp_path, POLICY)


def test_defaults_and_locked_values_are_taken(ruled: Catalogue) -> None:
    design = design_of(ruled)
    variants = {choice.axis: choice.variant for choice in design}
    assert (variants["devices"], variants["vocabulary"]) == ("many", "learned")
    values = {name: design.values[name] for name in ("dim", "steps", "order", "shuffle")}
    assert values == {"dim": 512, "steps": 5000, "order": "slow", "shuffle": True}


def test_values_are_read_without_blanks_around_them(tmp_path: Path, toy: Path) -> None:
    assert toy.is_dir()
    policy = "policy:\n  vocabulary: {locked: ' learned', reason: r}\n"
    policy += "  launch: {allowed: ['cloud ', ' here'], default: ' cloud', reason: r}\n"
    catalogue = catalogue_of(tmp_path, policy)
    design = design_of(catalogue)
    variants = {choice.axis: choice.variant for choice in design}
    assert (variants["vocabulary"], variants["launch"]) == ("learned", "cloud")
    assert design_of(catalogue, launch="here")["launch"].variant == "here"


def test_a_default_is_only_that(ruled: Catalogue) -> None:
    design = design_of(ruled, vocabulary="bytes", training__steps=200)
    assert (design["vocabulary"].variant, design.values["steps"]) == ("bytes", 200)


@pytest.mark.parametrize(
    ("key", "value", "rule", "fix"),
    [
        ("devices", "one", "pack acme locks it to many: we have a cluster", "leave it out"),
        ("launch", "cluster", "pack acme allows here or cloud: the queue is full", "choose here"),
        ("task.dim", "384", "pack acme locks it to 512: kernels are tuned for it", "leave it out"),
        ("training.steps", "99", "allows at least 100 and at most 9000: shorter runs", "choose at"),
        ("training.steps", 9001, "allows at least 100 and at most 9000: shorter runs", "choose at"),
        ("training.order", "fast", "pack acme allows slow or no: fast is broken", "choose slow"),
        ("training.shuffle", "no", "pack acme locks it to true: our data is sorted", "leave"),
    ],
)
def test_a_refused_value_names_key_value_rule_pack_and_fix(
    ruled: Catalogue, key: str, value: Value, rule: str, fix: str
) -> None:
    found = problems_of(ruled, **{key.replace(".", "__"): value})
    assert list(found) == [key]
    assert found[key].value == str(value)
    assert rule in found[key].rule
    assert found[key].fix.startswith(fix)


def test_all_problems_are_told_at_once(ruled: Catalogue) -> None:
    found = problems_of(ruled, devices="one", task__dim=8, training__order="fast", lunch="here")
    assert sorted(found) == ["devices", "lunch", "task.dim", "training.order"]


def test_the_locked_value_itself_may_be_given(ruled: Catalogue) -> None:
    assert design_of(ruled, devices="many", task__dim="512").values["dim"] == 512


def test_a_preset_gives_way(ruled: Catalogue) -> None:
    given: Mapping[str, Value] = {"devices": "one", "task.dim": 64, "task.n_heads": 4}
    design = parse_design(ruled, answered(given, "preset"))
    assert (design["devices"].variant, design.values["dim"]) == ("many", 512)
    assert design.values["n_heads"] == 4


def test_with_a_variant_of_a_preset_go_its_options(ruled: Catalogue) -> None:
    given: Mapping[str, Value] = {"vocabulary": "learned", "vocabulary.size": 512, "launch": "here"}
    assert parse_design(ruled, answered(given, "preset")).values["size"] == 512
    catalogue = replace(
        ruled, axes={**ruled.axes, "vocabulary": only(ruled, "vocabulary", "bytes")}
    )
    design = parse_design(catalogue, answered(given, "preset"))
    assert design["vocabulary"].variant == "bytes"


def only(catalogue: Catalogue, axis: str, variant: str) -> Axis:
    """An axis that is locked to a variant."""
    ruling = Ruling(axis, "beta", "we say so", variant, (variant,), is_locked=True)
    return replace(catalogue.axes[axis], rulings=(ruling,))


def test_a_locked_value_never_moves(ruled: Catalogue) -> None:
    # 512 does not divide into 7 heads: without the lock, the width would move.
    problem = problems_of(ruled, task__n_heads=7)["task.n_heads"]
    assert "512 features do not divide into 7 heads" in problem.rule
    assert "Locked by pack acme: kernels are tuned for it." in problem.rule


def test_a_default_moves_within_what_is_allowed(tmp_path: Path) -> None:
    policy = "policy: {task.n_heads: {allowed: [6, 8], reason: tiles}}\n"
    catalogue = catalogue_of(tmp_path, policy)
    assert design_of(catalogue, task__dim=512).values["n_heads"] == 8


def test_a_variant_that_nothing_allowed_goes_with_is_explained(tmp_path: Path) -> None:
    policy = "policy: {mixer: {locked: shared, reason: our cache is small}}\n"
    catalogue = catalogue_of(tmp_path, policy)
    rule = problems_of(catalogue, task="pictures")["task"].rule
    assert "no mixer fits" in rule
    assert "our cache is small" in rule


def test_reasons_are_told_with_the_decisions(ruled: Catalogue) -> None:
    because = {item.name: item.because for item in decide(ruled, design_of(ruled))}
    assert because["devices"] == "A copy on each. Locked by pack acme: we have a cluster."
    assert "Pack acme recommends learned: ours is learned." in because["vocabulary"]
    assert "Pack acme allows here or cloud: the queue is full." in because["launch"]
    for key in ("task.dim", "training.steps", "training.order", "training.shuffle"):
        assert "acme" in because[key]
    assert "wide" not in because["task.dim"]  # the reason of another value


def test_reasons_are_told_with_the_questions(ruled: Catalogue) -> None:
    asked = {}
    answers: dict[str, Answer] = {}
    while (question := next_question(ruled, answers)) is not None:
        asked[question.key] = question
        answers[question.key] = Answer(question.recommended, "asked")
    assert "devices" not in asked and "task.dim" not in asked  # there is nothing to choose
    assert asked["vocabulary"].recommended == "learned"
    assert "ours is learned" in asked["vocabulary"].because
    assert asked["training.steps"].help == "a whole number from 100 to 9000"
    disabled = {choice.value: choice.disabled_because for choice in asked["launch"].choices}
    assert disabled["here"] is disabled["cloud"] is None
    assert str(disabled["cluster"]).startswith("pack acme allows here or cloud: the queue is full")


def test_what_is_locked_need_not_be_answered(ruled: Catalogue) -> None:
    missing = [problem.key for problem in missing_answers(ruled, {})]
    assert "vocabulary" in missing and "devices" not in missing


def test_reasons_stand_in_the_design_file_and_the_explanation(ruled: Catalogue) -> None:
    design = design_of(ruled)
    decisions = decide(ruled, design)
    text = design_text(make_plan(ruled, design, decisions, estimate(ruled, design)))
    assert "variant: many  # Locked by pack acme: we have a cluster." in text
    assert "variant: here  # or cloud; Pack acme allows here or cloud: the queue is full." in text
    assert "dim: 512  # width; Locked by pack acme: kernels are tuned for it." in text
    found = explain(ruled, design, {}, "launch")
    impossible = {other.variant: other.impossible_because for other in found.alternatives}
    assert "pack acme allows here or cloud: the queue is full" in str(impossible["cluster"])
    found = explain(ruled, design, {}, "training.steps")
    assert "shorter runs say nothing" in found.decision.because
    assert found.facts["accepts"] == "a whole number from 100 to 9000"


def test_what_a_team_recommends_is_the_default(ruled: Catalogue) -> None:
    design = design_of(ruled)
    assert needed_answers(ruled, design, {}) == {}
    plan = make_plan(ruled, design, decide(ruled, design), estimate(ruled, design))
    at_default = make_lock(ruled, plan, {}).at_default
    assert {"vocabulary", "devices", "task.dim", "training.steps"} <= set(at_default)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (
            "lunch: {locked: here, reason: r}",
            "policy.lunch = a ruling: pack acme: there is no such",
        ),
        ("launch: {locked: moon, reason: r}", "must be one of here, cluster, cloud"),
        ("launch: {maximum: 3, reason: r}", "has limits, and is no number"),
        ("task.dim: {default: wide, reason: r}", "must be a whole number (an option of task"),
        ("task.dim: {default: 4, reason: r}", "it must be at least 8"),
        ("training.order: {minimum: 1, reason: r}", "has limits, and is no number"),
        ("project.name: {locked: x, reason: r}", "every project has its own"),
        ("task.dim: {default: 64, minimum: 128, reason: r}", "pack acme sets it, but pack acme"),
        ("training.steps: {minimum: 10, maximum: 9, reason: r}", "no value is left"),
        ("launch: {locked: here}", "reason: is missing"),
        ("launch: {reason: r}", "must say locked; or default, allowed, minimum or maximum"),
        ("launch: {locked: here, default: cloud, reason: r}", "must say locked; or default"),
        ("launch: {allowed: [], reason: r}", "allows nothing"),
        ("launch: {allowed: [[here]], reason: r}", "must be a list of single values"),
        ("task.dim: {minimum: low, reason: r}", "must be a number"),
        ("task.dim: {minimum: .nan, reason: r}", "must be a number"),
        ("launch: {locked: here, reasn: r}", "reason: is missing"),
        ("launch: 3", "launch: must be a mapping"),
    ],
)
def test_a_policy_that_cannot_hold_is_refused(tmp_path: Path, policy: str, message: str) -> None:
    with pytest.raises(PackError) as caught:
        catalogue_of(tmp_path, f"policy:\n  {policy}\n")
    assert message in str(caught.value)


def test_a_policy_that_leaves_no_design_is_refused(tmp_path: Path) -> None:
    policy = (
        "policy:\n  launch: {locked: cluster, reason: r}\n  devices: {locked: one, reason: s}\n"
    )
    with pytest.raises(PackError, match="no design is left .* devices and launch"):
        catalogue_of(tmp_path, policy)


def two(root: Path, one: str, other: str) -> Catalogue:
    first = write_pack(root / "one", more=f"policy: {{{one}}}\n")
    second = write_pack(root / "two", more=f"policy: {{{other}}}\n")
    text = (second / "pack.yaml").read_text().replace("id: acme", "id: beta")
    (second / "pack.yaml").write_text(text)
    return load([str(first), str(second)], Path()).catalogue


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("devices: {locked: one, reason: r}", "devices: {locked: many, reason: s}"),
        ("devices: {locked: one, reason: r}", "devices: {default: many, reason: s}"),
        ("devices: {default: many, reason: r}", "devices: {allowed: [one], reason: s}"),
        ("task.dim: {locked: 64, reason: r}", "task.dim: {minimum: 65, reason: s}"),
        ("task.dim: {allowed: [64, 128], reason: r}", "task.dim: {allowed: [256], reason: s}"),
        ("task.dim: {maximum: 64, reason: r}", "task.dim: {minimum: 128, reason: s}"),
    ],
)
def test_packs_that_contradict_each_other_are_refused(tmp_path: Path, one: str, other: str) -> None:
    with pytest.raises(PackError) as caught:
        two(tmp_path, one, other)
    assert "pack acme" in str(caught.value) and "pack beta" in str(caught.value)


def test_restrictions_of_all_packs_hold_and_the_last_default_is_taken(tmp_path: Path) -> None:
    catalogue = two(
        tmp_path,
        "task.dim: {default: 64, allowed: [64, 128, 256], reason: r}",
        "task.dim: {default: 128, allowed: [128, 256, 512], reason: s}",
    )
    assert design_of(catalogue).values["dim"] == 128
    assert "pack beta allows" in problems_of(catalogue, task__dim=64)["task.dim"].rule
    assert "pack acme allows" in problems_of(catalogue, task__dim=512)["task.dim"].rule


def test_without_packs_nothing_is_ruled() -> None:
    catalogue = load([], Path()).catalogue
    assert not any(axis.rulings for axis in catalogue.axes.values())
    with pytest.raises(DesignError):
        design_of(catalogue, devices="no")
