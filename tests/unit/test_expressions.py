"""Expressions: their values, their names, and which kind of error each fault is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scaffold.design import Value
from scaffold.errors import TemplateError
from scaffold.expressions import EvaluationError, evaluate, names


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("= dim // n_heads", 96),
        ("dim // n_heads", 96),
        ("dim if n_heads > 3 else 7", 384),
        ("max(dim, 500) + min(1, 2)", 501),
        ("round_up(8 * dim / 3, 32)", 1024),
        ("ceil(dim / 100)", 4),
        ("floor(dim / 100)", 3),
        ("sqrt(n_heads)", 2.0),
        ("log2(n_heads)", 2.0),
        ("name == 'x' and not is_on", True),
        ("dim % n_heads == 0", True),
        ("name", "x"),
        ("2 ** 10", 1024),
    ],
)
def test_evaluates(text: str, value: Value) -> None:
    values: dict[str, Value] = {"dim": 384, "n_heads": 4, "name": "x", "is_on": False}
    result = evaluate(text, values)
    assert result == value
    assert type(result) is type(value)


@given(st.integers(-999, 999), st.integers(1, 999), st.sampled_from(["+", "-", "*", "//", "%"]))
def test_integers_are_exact(a: int, b: int, operator: str) -> None:
    expected = {"+": a + b, "-": a - b, "*": a * b, "//": a // b, "%": a % b}[operator]
    assert evaluate(f"a {operator} b", {"a": a, "b": b}) == expected


def test_finds_the_names_that_are_read() -> None:
    assert names("= max(dim // n_heads, 4) if causal else window") == {
        "dim",
        "n_heads",
        "causal",
        "window",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dim //", "expression 'dim //'"),
        ("dmi + 1", "'dmi' is undefined"),
        ("dmi", "no such value: dmi"),
        ("dim.__class__", "__class__"),
        ("''.__class__.__mro__", "expression"),
        ("[dim]", "which is no value"),
        ("none", "which is no value"),
        ("range(3)", "'range' is undefined"),
    ],
)
def test_a_wrong_expression_is_a_mistake_in_a_part(text: str, message: str) -> None:
    with pytest.raises(TemplateError) as caught:
        evaluate(text, {"dim": 4})
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["dim // zero", "dim % zero", "sqrt(-1)", "dim + name"])
def test_an_expression_without_result_is_a_mistake_in_the_values(text: str) -> None:
    with pytest.raises(EvaluationError):
        evaluate(text, {"dim": 4, "zero": 0, "name": "x"})


@pytest.mark.parametrize("text", ["= dim //", "dim )"])
def test_names_of_a_wrong_expression(text: str) -> None:
    with pytest.raises(TemplateError):
        names(text)
