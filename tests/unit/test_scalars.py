"""Values from text: what each type takes, and the surprises it refuses."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scaffold.design import Value
from scaffold.parts import Option, OptionType
from scaffold.scalars import (
    LARGEST_INT,
    LONGEST_TEXT,
    RefusedValueError,
    clamp,
    expected,
    one_of,
    parse_value,
)

WHOLE = Option("n", "int", 1, None, None, (), False, "a number", "", None, {})
REAL = replace(WHOLE, type="float")
TRUTH = replace(WHOLE, type="bool")
TEXT = replace(WHOLE, type="str")
PICK = replace(WHOLE, type="choice", choices=("fast", "no", 3))


@pytest.mark.parametrize(
    ("option", "raw", "value"),
    [
        (WHOLE, "12", 12),
        (WHOLE, " 12 ", 12),
        (WHOLE, "-3", -3),
        (WHOLE, "1_000", 1000),
        (WHOLE, "1e3", 1000),
        (WHOLE, "2E+2", 200),
        (WHOLE, "017", 17),
        (WHOLE, 5, 5),
        (WHOLE, str(LARGEST_INT), LARGEST_INT),
        (WHOLE, "9_223_372_036_854_775_807", LARGEST_INT),
        (REAL, "1e-3", 0.001),
        (REAL, ".5", 0.5),
        (REAL, "2", 2.0),
        (REAL, 2, 2.0),
        (REAL, "1_0.5", 10.5),
        (TRUTH, "true", True),
        (TRUTH, "No", False),
        (TRUTH, "on", True),
        (TRUTH, False, False),
        (TEXT, "no", "no"),
        (TEXT, " a b ", "a b"),
        (PICK, "no", "no"),
        (PICK, "3", 3),
    ],
)
def test_takes(option: Option, raw: Value, value: Value) -> None:
    found = parse_value(option, raw)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("option", "raw", "rule"),
    [
        (WHOLE, "1.5", "whole number"),
        (WHOLE, "1.0", "whole number"),
        (WHOLE, 1.0, "whole number"),
        (WHOLE, True, "whole number"),
        (WHOLE, "0x10", "whole number"),
        (WHOLE, "1:30", "whole number"),
        (WHOLE, "1e-3", "whole number"),
        (WHOLE, "１２x", "whole number"),
        (WHOLE, "1__0", "whole number"),
        (WHOLE, "", "no value"),
        (WHOLE, str(LARGEST_INT + 1), "too large"),
        (WHOLE, LARGEST_INT + 1, "too large"),
        (WHOLE, "1e99", "too large"),
        (WHOLE, "9" * 5000, "too large"),
        (WHOLE, "1e9999999999", "whole number"),
        (REAL, "nan", "finite"),
        (REAL, "inf", "finite"),
        (REAL, "-Infinity", "finite"),
        (REAL, ".nan", "finite"),
        (REAL, "1e999", "finite"),
        (REAL, float("nan"), "finite"),
        (REAL, float("inf"), "finite"),
        (REAL, True, "finite"),
        (REAL, 10**400, "too large"),
        (TRUTH, "maybe", "true or false"),
        (TRUTH, "1", "true or false"),
        (TRUTH, 1, "true or false"),
        (TEXT, "a\nb", "control"),
        (TEXT, "\ud800", "control"),
        (TEXT, "${oc.env:HOME}", "never expanded"),
        (TEXT, "???", "never expanded"),
        (TEXT, "x" * (LONGEST_TEXT + 1), "characters"),
        (TEXT, 3, "text"),
        (PICK, "fsat", "one of fast, no, 3"),
    ],
)
def test_refuses(option: Option, raw: Value, rule: str) -> None:
    with pytest.raises(RefusedValueError, match=rule):
        parse_value(option, raw)


@pytest.mark.parametrize(("raw", "is_taken"), [(1, False), (2, True), (4, True), (5, False)])
def test_limits_belong_to_the_range(raw: int, is_taken: bool) -> None:
    for option in (WHOLE, REAL):
        limited = replace(option, minimum=2, maximum=4)
        try:
            assert parse_value(limited, str(raw)) == raw
            assert is_taken
        except RefusedValueError as error:
            assert not is_taken
            assert "from 2 to 4" in error.fix


def test_negative_zero_is_zero() -> None:
    assert str(parse_value(REAL, "-0.0")) == "0.0"


def test_names_the_nearest_choice() -> None:
    with pytest.raises(RefusedValueError, match=r"did you mean grouped-query\?"):
        one_of(["grouped-query", "multi-head"], "grouped_query")


def test_clamps_to_the_limits() -> None:
    limited = replace(WHOLE, minimum=2, maximum=4)
    assert [clamp(limited, number) for number in (1, 2, 3, 4, 5)] == [2, 2, 3, 4, 4]
    assert clamp(limited, True) is True


def test_says_what_is_expected() -> None:
    assert expected(replace(WHOLE, minimum=2)) == "a whole number of at least 2"
    assert expected(replace(REAL, maximum=1)) == "a number of at most 1"
    assert expected(PICK) == "one of fast, no, 3"
    assert expected(TRUTH) == "true or false"


@given(
    kind=st.sampled_from(get_args(OptionType)),
    raw=st.one_of(st.text(), st.integers(), st.floats(), st.booleans()),
)
def test_any_value_is_taken_or_refused(kind: OptionType, raw: Value) -> None:
    option = replace(PICK if kind == "choice" else WHOLE, type=kind)
    try:
        value = parse_value(option, raw)
    except RefusedValueError as error:
        assert error.rule
        assert error.fix
    else:
        assert parse_value(option, value) == value


@given(st.integers(-LARGEST_INT, LARGEST_INT))
def test_whole_numbers_come_back(number: int) -> None:
    assert parse_value(WHOLE, str(number)) == number
    assert parse_value(WHOLE, f"{number:_}") == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_real_numbers_come_back(number: float) -> None:
    assert parse_value(REAL, repr(number)) == number
