"""Settling values: order of evaluation, circles, and where a default may move to."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy import toy_catalogue

from scaffold.errors import TemplateError
from scaffold.parts import Option
from scaffold.values import candidates, inputs, resolve, settle

OPTION = Option("n", "int", 384, 1, None, (), False, "n", "", None, {})


def test_moves_stay_round_and_near() -> None:
    first = [number for number, _ in zip(candidates(OPTION, 384, []), range(4), strict=False)]
    assert first == [320, 448, 256, 512]


def test_moves_try_multiples_and_divisors_of_the_other_value() -> None:
    found = list(candidates(OPTION, 32, [1000]))
    assert {1000, 2000, 500, 250, 100} <= set(found)
    assert {1001, 0, 32}.isdisjoint(found)


def test_moves_of_choices() -> None:
    assert list(candidates(replace(OPTION, type="bool"), True, [])) == [False]
    picked = replace(OPTION, type="choice", choices=("a", "b", "c"))
    assert list(candidates(picked, "b", [])) == ["a", "c"]
    assert list(candidates(replace(OPTION, type="float"), 0.5, [])) == []
    assert list(candidates(replace(OPTION, type="str"), "a", [])) == []


@given(st.integers(1, 10**6), st.lists(st.integers(2, 10**6), max_size=2))
def test_moves_keep_the_limits_and_never_repeat(current: int, factors: list[int]) -> None:
    found = list(candidates(replace(OPTION, minimum=2, maximum=5000), current, factors))
    assert all(isinstance(number, int) and 2 <= number <= 5000 for number in found)
    assert len(found) == len(set(found))
    assert current not in found


def test_values_may_be_defined_in_any_order_but_not_in_a_circle(tmp_path: Path) -> None:
    text = "title: x\nhelp: x\norder: 5\nderived: {b: c + 1, c: a + 1}\noptions:\n"
    text += "  a: {type: int, default: '= DEFAULT', help: a}\n"
    for default, values in (("length", {"a": 256, "b": 258, "c": 257}), ("b", None)):
        changes = {"parts/launch/x/part.yaml": text.replace("DEFAULT", default)}
        catalogue = toy_catalogue(tmp_path / default, changes)
        parts = [catalogue.axes["task"].parts["words"], catalogue.axes["launch"].parts["x"]]
        if values is not None:
            found = resolve(parts, {})
            assert {name: found[name] for name in "abc"} == values
            assert inputs(parts, "b > 1") == {"a", "b", "c"}
            continue
        with pytest.raises(TemplateError, match="a -> b -> c -> a"):
            resolve(parts, {})


@pytest.mark.parametrize("default", ["'= 0.5 * length + 0.5'", "'= \"x\"'", "'= true'"])
def test_a_default_of_the_wrong_type_is_an_error_of_the_part(tmp_path: Path, default: str) -> None:
    text = "title: x\nhelp: x\norder: 5\noptions:\n  a: {type: int, default: D, help: a}\n"
    catalogue = toy_catalogue(tmp_path, {"parts/launch/x/part.yaml": text.replace("D", default)})
    parts = [catalogue.axes["task"].parts["words"], catalogue.axes["launch"].parts["x"]]
    with pytest.raises(TemplateError, match="parts/launch/x: the default of a is"):
        resolve(parts, {})


def test_a_rule_that_nothing_mends_stays_broken(tmp_path: Path) -> None:
    catalogue = toy_catalogue(tmp_path)
    parts = [catalogue.axes["task"].parts["words"]]
    settled = settle(parts, {"task.dim": 10, "task.n_heads": 3})
    assert [rule.id for rule in settled.broken] == ["heads-divide"]
    assert settled.moved == {}
    mended = settle(parts, {"task.n_heads": 5})
    assert (mended.moved, mended.broken) == ({"task.dim": 320}, ())
