"""Migrating is a pure function: it keeps what was chosen, in one go as in steps, and only once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scaffold.answers import Answer
from scaffold.catalogue import read_catalogue
from scaffold.completion import complete
from scaffold.decisions import decide
from scaffold.design import Choice, Design, Value
from scaffold.design_file import design_text
from scaffold.design_names import with_names
from scaffold.estimates import estimate
from scaffold.keys import PROJECT_KEYS
from scaffold.lock import make_lock
from scaffold.migrate import as_text, migrate
from scaffold.migrated import bring, renamed
from scaffold.migration_check import check_migrations
from scaffold.migrations import Add, Migration, Operation, Rename, Replace
from scaffold.parse import parse_design
from scaffold.plan import make_plan
from scaffold.revision import flat_values

CATALOGUE = replace(read_catalogue(), migrations=())
PLACE = Path("migrations.yaml")


def version(number: int, *operations: Operation, tree: str = "") -> Migration:
    return Migration(PLACE, tree, number, "it reads better", operations)


@dataclass(frozen=True)
class Step:
    """A change of names, and what the names of after it were before."""

    operation: Operation
    scale: int = 0  # of a value in another unit

    def undone(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """The values by the names of before."""
        match self.operation:
            case Rename(old, new):
                return {
                    old + key.removeprefix(new) if f"{key}.".startswith(f"{new}.") else key: value
                    for key, value in values.items()
                }
            case Replace(old, new) if self.scale:
                (before,), (after,) = old, new
                rest = {key: value for key, value in values.items() if key != after}
                return {**rest, before: int(values[after]) * self.scale}
            case Replace(old, new) if all(values.get(key) == new[key] for key in new):
                found = {key: value for key, value in values.items() if key not in new}
                return {**old, **found}
            case _:
                return dict(values)


@st.composite
def designs(draw: st.DrawFn) -> Design:
    """Designs of the real catalogue, some values of which were chosen."""
    chosen: dict[str, str] = {}
    for axis in draw(st.lists(st.sampled_from([*CATALOGUE.axes]), max_size=6, unique=True)):
        variant = draw(st.sampled_from([*CATALOGUE.axes[axis].parts]))
        if complete(CATALOGUE, {**chosen, axis: variant}) is not None:
            chosen[axis] = variant
    answers = {key: Answer(value, "flag") for key, value in chosen.items()}
    return parse_design(CATALOGUE, answers)


@st.composite
def chains(draw: st.DrawFn, design: Design) -> list[Step]:
    """Steps that end in the names of today, newest first, drawn from a design."""
    values = {
        key: value
        for key, value in flat_values(design.project, design.choices).items()
        if key not in PROJECT_KEYS
    }
    steps: list[Step] = []
    for number in range(draw(st.integers(1, 6))):
        axes = [key for key in values if "." not in key]
        options = [key for key in values if "." in key]
        numbers = [key for key in options if type(values[key]) is int]
        kind = draw(st.sampled_from(["axis", "option", "move", "variant", "split", "axes", "unit"]))
        axis, option = draw(st.sampled_from(axes)), draw(st.sampled_from(options))
        new = f"old_{number}"
        scale = 0
        operation: Operation
        if kind == "axis":
            operation = Rename(new, axis)
        elif kind in ("option", "move"):
            home = option.partition(".")[0] if kind == "option" else axis
            operation = Rename(f"{home}.{new}", option)
        elif kind == "variant":
            operation = Replace({axis: new}, {axis: values[axis]})
        elif kind == "split":
            home = option.partition(".")[0]
            operation = Replace({home: new}, {home: values[home], option: values[option]})
        elif kind == "axes":
            plain = [key for key in axes if not any(o.startswith(f"{key}.") for o in options)]
            two = draw(st.sampled_from(plain))
            operation = Replace({axis: new}, {axis: values[axis], two: values[two]})
        else:
            option, scale = draw(st.sampled_from(numbers)), 3
            name = f"{option.partition('.')[0]}.{new}"
            operation = Replace({name: "*"}, {option: f"= {new} // {scale}"})
        step = Step(operation, scale)
        values = step.undone(values)
        steps.append(step)
    return steps


def texts(values: Mapping[str, Value]) -> dict[str, str]:
    return {key: as_text(value) for key, value in values.items()}


def choices(values: Mapping[str, Value]) -> dict[str, Choice]:
    return {
        axis: Choice(
            axis,
            str(values[axis]),
            {
                key.removeprefix(f"{axis}."): value
                for key, value in values.items()
                if key.startswith(f"{axis}.")
            },
        )
        for axis in values
        if "." not in axis
    }


def old_values(design: Design, steps: Sequence[Step]) -> dict[str, Value]:
    values: dict[str, Value] = dict(flat_values(design.project, design.choices))
    for step in steps:
        values = step.undone(values)
    return values


def as_migrations(steps: Sequence[Step]) -> tuple[Migration, ...]:
    oldest = [step.operation for step in reversed(steps)]
    return tuple(version(number, one) for number, one in enumerate(oldest, start=1))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_chains_over_the_real_catalogue_keep_every_choice(data: st.DataObject) -> None:
    design = data.draw(designs())
    steps = data.draw(chains(design))
    migrations = as_migrations(steps)
    check_migrations(CATALOGUE.axes, migrations)
    today = flat_values(design.project, design.choices)
    before = old_values(design, steps)
    found = migrate(migrations, before)
    assert found.problems == ()
    assert found.values == today
    assert len(found.events) >= 1
    stepwise: Mapping[str, Value] = before
    for number in range(len(migrations)):
        stepwise = migrate(migrations[: number + 1], stepwise).values
    assert stepwise == today
    for values in (found.values, today):
        again = migrate(migrations, values)
        assert (again.values, again.events) == (values, ())
    answers = {key: Answer(value, "file") for key, value in found.values.items()}
    assert parse_design(CATALOGUE, answers).choices == design.choices
    assert migrate(migrations, {}, texts(before)).texts == texts(today)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_a_lock_of_before_is_the_lock_of_today(data: st.DataObject) -> None:
    design = data.draw(designs())
    steps = data.draw(chains(design))
    catalogue = replace(CATALOGUE, migrations=as_migrations(steps))
    plan = make_plan(CATALOGUE, design, decide(CATALOGUE, design), estimate(CATALOGUE, design))
    today = make_lock(CATALOGUE, plan, {})
    before = old_values(design, steps)
    kept = {key: value for key, value in before.items() if key not in PROJECT_KEYS}
    old_names = migrate(catalogue.migrations, before).state
    at_default = {old for key in today.at_default for old in old_names[key].sources}
    chosen = {old for key in old_names.keys() - today.at_default for old in old_names[key].sources}
    lock = replace(today, choices=choices(kept), at_default=tuple(at_default), decisions=())
    found = bring(catalogue, lock, texts(before))
    assert found.lock.choices == today.choices
    if not at_default & chosen:  # else two values of today were one
        assert {*found.lock.at_default} == {*today.at_default}
    assert found.written == texts(flat_values(design.project, design.choices))


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_scaffold_yaml_of_before_is_that_of_today(data: st.DataObject) -> None:
    design = data.draw(designs())
    plan = make_plan(CATALOGUE, design, decide(CATALOGUE, design), estimate(CATALOGUE, design))
    today = design_text(plan)
    names = {key: key for key in flat_values(design.project, design.choices)}
    steps = []
    for number in range(data.draw(st.integers(1, 6))):
        key = data.draw(st.sampled_from([key for key in names if key not in PROJECT_KEYS]))
        axis, _, option = key.partition(".")
        step = Step(Rename(f"{axis}.old_{number}" if option else f"old_{number}", key))
        names = {old: str(new) for old, new in step.undone(names).items()}
        steps.append(step)
    before = with_names(today, {str(new): old for old, new in names.items()})
    values: Mapping[str, Value] = flat_values(design.project, design.choices)
    for step in steps:
        values = step.undone(values)
    lock = replace(
        make_lock(CATALOGUE, plan, {}),
        choices=choices({key: v for key, v in values.items() if key not in PROJECT_KEYS}),
    )
    catalogue = replace(CATALOGUE, migrations=as_migrations(steps))
    assert before != today
    assert renamed(catalogue, lock, before) == today


def test_trees_need_not_know_of_each_others_order() -> None:
    tool = [version(1, Rename("attention", "mixer"))]
    pack = [
        version(1, Rename("attention.cap", "attention.limit"), tree="acme"),
        version(2, Rename("mixer.limit", "mixer.most"), tree="acme"),
    ]
    for axis, option in (("attention", "cap"), ("attention", "limit"), ("mixer", "limit")):
        found = migrate([*pack, *tool], {axis: "x", f"{axis}.{option}": 3})
        assert found.values == {"mixer": "x", "mixer.most": 3}


def test_what_is_added_gives_way_to_what_is_there_and_follows_later_names() -> None:
    steps = [version(1, Add({"a": "old", "b": 1})), version(2, Rename("a", "c"))]
    assert migrate(steps, {}, since={"": 0}).values == {"c": "old", "b": 1}
    assert migrate(steps, {"b": 2}, {"c": "mine"}, {"": 0}).values == {"b": 2, "c": "mine"}
    assert migrate(steps, {"b": 2}, since={"": 1}).values == {"b": 2}
    assert migrate(steps, {"b": 2}).values == {"b": 2}  # as new as any


@pytest.mark.parametrize("text", ["much", "", "9" * 9000, "1e999", "many\u00b2", "x" * 9000])
def test_a_text_that_has_no_other_unit_is_left_for_the_reader(text: str) -> None:
    steps = [version(1, Replace({"a.b": "*"}, {"a.c": "= 1 // b"}))]
    assert migrate(steps, {}, {"a.b": text}).texts == {"a.b": text}
    carried = [version(1, Replace({"a.b": "*"}, {"a.c": "= b"}))]
    assert migrate(carried, {}, {"a.b": text}).texts == {"a.c": text}


def test_values_are_compared_as_they_are_meant() -> None:
    steps = [version(1, Replace({"a.rate": 0.001, "a.on": True}, {"a.slow": True}))]
    for rate, on in (("1e-3", "yes"), ("0.0010", "true"), ("1_0e-4", "on")):
        assert migrate(steps, {}, {"a.rate": rate, "a.on": on}).values == {"a.slow": True}
    assert migrate(steps, {}, {"a.rate": "0.002", "a.on": "true"}).events == ()


def test_two_names_for_two_values_are_a_problem_and_for_one_are_none() -> None:
    steps = [version(1, Rename("a.b", "a.c"))]
    (problem,) = migrate(steps, {}, {"a.b": "1", "a.c": "2"}).problems
    assert (problem.key, problem.value) == ("a.b", "1")
    assert "it is called a.c now, which is there too, with 2" in str(problem)
    same = migrate(steps, {}, {"a.b": "1e3", "a.c": "1_000.0"})
    assert (same.problems, same.values) == ((), {"a.c": "1_000.0"})
    assert migrate(steps, {"a.b": 1}, {"a.c": "2"}).values == {"a.c": "2"}


def test_what_becomes_of_two_values_is_at_its_default_if_both_were() -> None:
    design = parse_design(CATALOGUE, {})
    plan = make_plan(CATALOGUE, design, decide(CATALOGUE, design), estimate(CATALOGUE, design))
    lock = replace(
        make_lock(CATALOGUE, plan, {}),
        choices={"a": Choice("a", "x", {}), "b": Choice("b", "y", {"of": 1, "to": 2})},
    )
    one = version(1, Replace({"a": "x", "b": "y"}, {"c": "z"}))
    catalogue = replace(CATALOGUE, migrations=(one,))
    for at_default, expected in ((("a",), ()), (("a", "b"), ("c",)), ((), ())):
        found = bring(catalogue, replace(lock, at_default=at_default), {"b": "y"})
        assert found.lock.at_default == expected
        assert found.lock.choices == {"c": Choice("c", "z", {})}
        # Options whose axis is gone are kept until it is known what became of them.
        assert found.lock.left.remembered == {"b.of": 1, "b.to": 2}
        assert found.written == {"c": "z"}


def test_what_is_told_has_no_signs_that_a_terminal_obeys() -> None:
    found = migrate([version(1, Rename("a", "b"))], {}, {"a.\x1b[2J": "\x1b[2J\n"})
    assert found.events[0].told == "a.\\x1b[2J = \\x1b[2J\\n -> b.\\x1b[2J = \\x1b[2J\\n"
