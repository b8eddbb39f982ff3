"""Rules between values, and how a broken one is told."""

import pytest

from scaffold.parts import Rule
from scaffold.rules import fill, holds, rule_problem

RULE = Rule("r", "a % b == 0", ("x.a", "y.b"), "{a} does not divide by {b}", "change {b}")


@pytest.mark.parametrize(("a", "b", "is_true"), [(6, 3, True), (6, 4, False), (6, 0, False)])
def test_holds(a: int, b: int, is_true: bool) -> None:
    assert holds(RULE, {"a": a, "b": b}) is is_true


@pytest.mark.parametrize(
    ("chosen", "key", "beside"),
    [
        ((), "y.b", "with x.a = 6, "),
        (("x.a",), "x.a", "with y.b = 4, "),
        (("x.a", "y.b"), "y.b", "with x.a = 6, "),
        (("z.c",), "z.c", "with x.a = 6 and y.b = 4, "),
        (("z.d",), "y.b", "with x.a = 6, "),
    ],
)
def test_the_problem_stands_at_what_the_user_chose(
    chosen: tuple[str, ...], key: str, beside: str
) -> None:
    problem = rule_problem(RULE, {"a": 6, "b": 4, "c": 1, "d": 1}, chosen, {"a", "b", "c"})
    assert problem.key == key
    assert problem.rule == f"{beside}6 does not divide by 4"
    assert problem.fix == "change 4"


def test_a_rule_without_keys_is_known_by_its_id() -> None:
    problem = rule_problem(Rule("r", "false", (), "never", "stop"), {}, (), ())
    assert (problem.key, problem.value, problem.rule) == ("r", "?", "never")


def test_fill_leaves_what_it_does_not_know() -> None:
    values = {"a": 1, "b": True}
    assert fill("{a} {b} {c} {a.b} { a } {{a}}", values) == "1 true {c} {a.b} { a } {1}"
