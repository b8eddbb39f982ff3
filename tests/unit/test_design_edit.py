"""Values of scaffold.yaml are changed in place: comments, order and layout stay."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from scaffold.answer_file import parse_answer_text
from scaffold.design import Value
from scaffold.design_edit import with_values
from scaffold.errors import DesignError
from scaffold.scalars import stands_for

TEXT = """\
# mine
project:
  name: x  # for people

# Which?
color:
  variant: red  # or blue
  # darker is better
  shade: 3

size: {variant: small, steps: 10}
optimizer: adam # short
track.variant: log
"""
WANTED: dict[str, Value] = {
    "project.name": "x",
    "color": "red",
    "color.shade": 3,
    "size": "small",
    "size.steps": 10,
    "optimizer": "adam",
    "track": "log",
}


def changed(text: str, wanted: Mapping[str, Value]) -> str:
    return with_values(text, wanted, lambda _: False, pristine=TEXT)


def test_what_is_right_stays_as_it_is() -> None:
    assert changed(TEXT, WANTED) == TEXT


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("color", "blue", "variant: red  # or", "variant: blue  # or"),
        ("color.shade", 9, "shade: 3\n", "shade: 9\n"),
        ("size", "large one", "variant: small,", 'variant: "large one",'),
        ("size.steps", 11, "steps: 10}", "steps: 11}"),
        ("optimizer", "sgd", "adam # short", "sgd # short"),
        ("track", "none", "track.variant: log", "track.variant: none"),
        ("project.name", "no", "name: x  #", 'name: "no"  #'),
    ],
)
def test_one_value_is_changed(key: str, value: Value, old: str, new: str) -> None:
    assert old in TEXT
    assert changed(TEXT, {**WANTED, key: value}) == TEXT.replace(old, new)


def test_keys_are_added_where_they_belong() -> None:
    wanted: dict[str, Value] = {
        "project.name": "x",
        "project.package": "z",
        "color": "red",
        "color.depth": True,
        "color.shade": 3,
        "color.tone": 1e-5,
        "size": "small",
        "size.steps": 10,
        "optimizer": "adam",
        "optimizer.rate": 0.5,
        "track": "log",
        "track.file": "a b",
        "new": "one",
        "new.option": 1,
    }
    text = changed(TEXT, wanted)
    expected = TEXT.replace("# for people\n", "# for people\n  package: z\n")
    expected = expected.replace("# or blue\n", "# or blue\n  depth: true\n")
    expected = expected.replace("  shade: 3\n", "  shade: 3\n  tone: 1.0e-05\n")
    expected = expected.replace("# short\n", "# short\noptimizer.rate: 0.5\n")
    expected += 'track.file: "a b"\n\nnew:\n  variant: one\n  option: 1\n'
    assert text == expected


def test_keys_are_taken_out_with_an_axis_of_which_nothing_is_left() -> None:
    wanted = {key: value for key, value in WANTED.items() if not key.startswith("color")}
    wanted.pop("optimizer")
    text = changed(TEXT, wanted)
    assert text == TEXT.replace("color:\n  variant: red  # or blue\n", "").replace(
        "  shade: 3\n", ""
    ).replace("optimizer: adam # short\n", "")


def test_the_end_of_the_file_may_have_no_line_end() -> None:
    assert changed("a: x", {"a": "x", "a.b": 1, "c": "z"}) == "a: x\na.b: 1\n\nc:\n  variant: z"


def test_windows_line_ends_are_kept() -> None:
    text = changed(TEXT.replace("\n", "\r\n"), {**WANTED, "color.tone": 1, "new": "one"})
    assert text.replace("\r\n", "\n") == changed(TEXT, {**WANTED, "color.tone": 1, "new": "one"})
    assert "\n" not in text.replace("\r\n", "")


def test_an_empty_value_is_filled() -> None:
    assert changed("a:\n  b:\n  c: # why\n", {"a.b": 1, "a.c": 2}) == ("a:\n  b: 1\n  c: 2 # why\n")


@pytest.mark.parametrize("text", ["a: {b: 1}\n", "{a: {b: 1}}\n"])
def test_a_block_in_braces_is_refused_where_keys_come_or_go(text: str) -> None:
    for wanted in ({"a.b": 1, "a.c": 2}, {"a.c": 2}):
        with pytest.raises(DesignError, match="line of its own"):
            changed(text, wanted)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n  b: 1  # ask Ada\n  c: 2\n", "a:\n  # ask Ada\n  c: 2\n"),
        ("a:\n  b: 1\t# ask Ada\n  c: 2\n", "a:\n  # ask Ada\n  c: 2\n"),
        ("a:\n  b: # why\n    1 # ask\n  c: 2\n", "a:\n  # why\n  # ask\n  c: 2\n"),
        ("a:\n  b: 'x # no' #ask\n  c: 2\n", "a:\n  #ask\n  c: 2\n"),
        ("a:\n  b: > # ask\n    x # no\n\n  # mine\n  c: 2\n", "a:\n  # ask\n\n  # mine\n  c: 2\n"),
        ("a: # all\n  b: 1 # one\na.c: 2\n", "# all\n  # one\na.c: 2\n"),
        ("a:\n  c: 2\n  b: 1  # ask Ada", "a:\n  c: 2\n  # ask Ada"),
        ("a:\r\n  b: 1  # ask\r\n  c: 2\r\n", "a:\r\n  # ask\r\n  c: 2\r\n"),
        ("a:\n  b: 1  # darker is better\n  c: 2\n", "a:\n  c: 2\n"),
    ],
)
def test_comments_of_the_owner_stay_when_their_line_goes(text: str, expected: str) -> None:
    assert changed(text, {"a.c": 2}) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n  b: > # ask\n    x\n    y\n  c: 2\n", "a:\n  b: new  # ask\n  c: 2\n"),
        ("a:\n  b: |\n    x\n\n\n# mine\n", "a:\n  b: new\n\n\n# mine\n"),
        ("a:\n  b:\tx\t# ask\n", "a:\n  b:\tnew\t# ask\n"),
        ("a:\n  b: x\t\n", "a:\n  b: new\t\n"),
    ],
)
def test_comments_and_blanks_around_a_changed_value_stay(text: str, expected: str) -> None:
    wanted: dict[str, Value] = {"a.b": "new"}
    assert changed(text, {**wanted, "a.c": 2} if "c:" in text else wanted) == expected


def test_what_only_one_parser_takes_is_an_error() -> None:
    with pytest.raises(DesignError, match=r"line 2.*cannot be changed in place"):
        changed("a: 1\n\tb: 1\n", {"a": "2"})


KEYS = st.sampled_from([f"{axis}.{name}" for axis in "abc" for name in ("variant", "x", "y", "z")])
VALUES = st.one_of(
    st.integers(-9, 9), st.booleans(), st.floats(0, 1), st.sampled_from(["no", "a b", "x#y", "1"])
)
DESIGNS = st.dictionaries(KEYS.map(lambda key: key.removesuffix(".variant")), VALUES, min_size=1)


@given(DESIGNS, DESIGNS, st.booleans())
def test_the_file_reads_as_what_was_wanted(
    before: dict[str, Value], after: dict[str, Value], has_comments: bool
) -> None:
    text = changed("# head\n", before) if has_comments else changed("", before)
    if has_comments:
        lines = enumerate(text.splitlines())
        text = "".join(f"{line}  # mine {number}\n\n" for number, line in lines)
    found = changed(text, after)
    read = parse_answer_text(found, "", Path())
    assert read.problems == ()
    assert read.values.keys() == after.keys()
    assert all(stands_for(read.values[key], value) for key, value in after.items())
    kept = [line for line in text.splitlines() if line.lstrip().startswith("#")]
    assert [line for line in found.splitlines() if line in kept] == kept
    assert re.findall("# mine.*", found) == re.findall("# mine.*", text)
    assert yaml.safe_load(found)
