"""Keys of scaffold.yaml are renamed in place: values, comments, order and layout stay."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scaffold.answer_file import parse_answer_text
from scaffold.design_names import with_names
from scaffold.errors import DesignError

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
track.every: 5
"""
SAME = {
    "project.name": "project.name",
    "color": "color",
    "color.shade": "color.shade",
    "size": "size",
    "size.steps": "size.steps",
    "optimizer": "optimizer",
    "track": "track",
    "track.every": "track.every",
}


@pytest.mark.parametrize(
    ("names", "old", "new"),
    [
        ({}, "", ""),
        ({"color.shade": "color.dark"}, "  shade: 3", "  dark: 3"),
        ({"size.steps": "size.length"}, "steps: 10", "length: 10"),
        ({"optimizer": "method"}, "optimizer: adam", "method: adam"),
        ({"track": "log"}, "track.variant: log", "log.variant: log"),
        ({"track.every": "track.often"}, "track.every", "track.often"),
        ({"track.every": "size.often"}, "track.every", "size.often"),
        ({"color": "paint", "color.shade": "paint.shade"}, "color:\n", "paint:\n"),
        ({"size": "extent", "size.steps": "extent.steps"}, "size: {", "extent: {"),
        (
            {"color.shade": "optimizer.shade"},
            "  # darker is better\n  shade: 3\n\nsize: {variant: small, steps: 10}\n"
            "optimizer: adam # short\n",
            "\nsize: {variant: small, steps: 10}\noptimizer: adam # short\n"
            "# darker is better\noptimizer.shade: 3\n",
        ),
        (
            {"color.shade": "project.shade"},
            "  name: x  # for people\n\n# Which?\ncolor:\n  variant: red  # or blue\n"
            "  # darker is better\n  shade: 3\n",
            "  name: x  # for people\n  # darker is better\n  shade: 3\n\n# Which?\ncolor:\n"
            "  variant: red  # or blue\n",
        ),
        ({"optimizer": "size.method"}, "optimizer: adam", "size.method: adam"),
        ({"track": "color.track"}, "track.variant: log", "color.track: log"),
    ],
)
def test_a_line_keeps_its_value_and_its_comment(names: dict[str, str], old: str, new: str) -> None:
    changed = with_names(TEXT, SAME | names)
    assert changed == TEXT.replace(old, new)


def test_an_option_may_come_to_an_axis_that_is_not_there_yet() -> None:
    expected = TEXT.replace("  # darker is better\n  shade: 3\n", "")
    expected += "\ngloss:\n  # darker is better\n  dark: 3\n"
    assert with_names(TEXT, SAME | {"color.shade": "gloss.dark"}) == expected


def test_what_comes_to_the_last_axis_stands_before_a_new_one() -> None:
    text = "a:\n  variant: x\n  b: 1\n  c: 2\nd:\n  variant: y\n"
    names = {"a": "a", "a.b": "e.b", "a.c": "d.c", "d": "d"}
    expected = "a:\n  variant: x\nd:\n  variant: y\n  c: 2\n\ne:\n  b: 1\n"
    assert with_names(text, names) == expected


def test_two_blocks_of_one_axis_become_one() -> None:
    text = "a:\n  variant: x\n  b: 1 # one\n\nc:\n    variant: x\n    d: 2\n"
    names = {"a.b": "c.b", "c": "c", "c.d": "c.d"}
    assert with_names(text, names) == "\nc:\n    variant: x\n    d: 2\n    b: 1 # one\n"


def test_a_line_without_a_new_name_stays_for_the_writer_or_goes_if_it_is_in_the_way() -> None:
    text = "a:\n  variant: x\n  b: 1\n  c: 2\n"
    assert with_names(text, {"a": "z", "a.b": "z.d"}) == "z:\n  variant: x\n  d: 1\n  c: 2\n"
    assert with_names(text, {"a": "z", "a.b": "z.c"}) == "z:\n  variant: x\n  c: 1\n"


def test_line_ends_stay_and_a_last_line_may_be_open() -> None:
    text = "a:\r\n  variant: x\r\n  b: 1 # one\r\nc:\r\n  variant: y"
    expected = "a:\r\n  variant: x\r\nc:\r\n  variant: y\r\n  b: 1 # one\r\n"
    assert with_names(text, {"a": "a", "a.b": "c.b", "c": "c"}) == expected


def test_what_is_in_braces_cannot_move() -> None:
    for names in ({"size.steps": "color.steps"}, {"color.shade": "size.shade"}):
        with pytest.raises(DesignError, match="write each key of"):
            with_names(TEXT, SAME | names)


WORDS = st.sampled_from(["a", "b", "c", "d"])
KEYS = st.one_of(WORDS, st.builds("{}.{}".format, WORDS, WORDS))


@given(
    st.dictionaries(KEYS, st.integers(0, 99), min_size=1),
    st.booleans(),
    st.permutations("abcdef"),
    st.lists(st.sampled_from("abcdef"), min_size=20, max_size=20),
)
def test_every_value_is_found_under_its_new_key(
    values: dict[str, int], is_flat: bool, axes: list[str], homes: list[str]
) -> None:
    lines = [f"{key}: {value} # {key}" for key, value in values.items()]
    if not is_flat:
        names = dict.fromkeys(key.partition(".")[0] for key in values)
        lines = [line for name in names for line in block_of(name, values)]
    new = {
        key: axes["abcd".index(key)] if "." not in key else f"{homes[number]}.n{number}"
        for number, key in enumerate(values)
    }
    text = with_names("\n".join(lines) + "\n", new)
    read = parse_answer_text(text, "x", Path("x"))
    assert read.problems == ()
    assert read.values == {new[key]: str(value) for key, value in values.items()}
    for key, value in values.items():
        assert f": {value} # {key}\n" in text


def block_of(axis: str, values: dict[str, int]) -> list[str]:
    mine = {key: value for key, value in values.items() if key.partition(".")[0] == axis}
    return [f"{axis}:"] + [
        f"  {key.partition('.')[2] or 'variant'}: {value} # {key}" for key, value in mine.items()
    ]
