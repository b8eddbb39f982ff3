"""Answers from presets, files and flags: their order, their origins, and what is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy import toy_catalogue

from scaffold.answer_file import LARGEST_FILE, parse_answer_text, read_answer_file
from scaffold.answers import Answer, Reading, read_answers, read_flags
from scaffold.catalogue import Catalogue

PATH = Path("answers.yaml")


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return toy_catalogue(tmp_path_factory.mktemp("toy"))


def rule_of(text: str) -> str:
    """The one problem of a file's text."""
    (problem,) = parse_answer_text(text, "--answers", PATH).problems
    return f"{problem.key}: {problem.rule}; {problem.fix}"


def test_a_later_layer_wins_and_each_value_keeps_its_origin(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("task: {variant: words, dim: 16, n_heads: 2}\nproject: {name: mine}\n")
    preset = {"task.dim": "8", "task.length": "4", "reach": "past"}
    reading = read_answers(catalogue, preset, file, ["task.n_heads=4"])
    assert reading.problems == ()
    assert dict(reading.answers) == {
        "reach": Answer("past", "preset"),
        "task.dim": Answer("16", "file"),
        "task.length": Answer("4", "preset"),
        "task": Answer("words", "file"),
        "task.n_heads": Answer("4", "flag"),
        "project.name": Answer("mine", "file"),
    }


def test_nothing_given_is_no_answer(catalogue: Catalogue) -> None:
    assert read_answers(catalogue, None, None, []) == Reading({}, ())


def test_variant_is_the_axis(catalogue: Catalogue) -> None:
    for flag in ("task.variant=words", "task=words"):
        assert dict(read_answers(catalogue, None, None, [flag]).answers) == {
            "task": Answer("words", "flag")
        }


def test_another_variant_drops_options_that_an_earlier_layer_set(catalogue: Catalogue) -> None:
    preset = {"mixer": "shared", "mixer.n_groups": "2", "task.dim": "8"}
    reading = read_answers(catalogue, preset, None, ["mixer=full"])
    assert set(reading.answers) == {"mixer", "task.dim"}
    same = read_answers(catalogue, preset, None, ["mixer=shared"])
    assert set(same.answers) == {"mixer", "mixer.n_groups", "task.dim"}
    own = read_answers(catalogue, None, None, ["mixer.n_groups=2", "mixer=full"])
    assert set(own.answers) == {"mixer", "mixer.n_groups"}


def test_unknown_keys_are_all_named_with_the_nearest(catalogue: Catalogue) -> None:
    flags = ["taks=words", "n_heads=2", "mixer.n_gruops=1", "zzz=1", "task.dim.x=1", ".=1"]
    problems = read_answers(catalogue, None, None, flags).problems
    fixes = {problem.key: problem.fix for problem in problems}
    assert fixes.pop("zzz") == "`scaffold explain` lists all keys"
    assert fixes.pop(".").startswith("`scaffold explain`")
    assert fixes.pop("task.dim.x")
    assert fixes == {
        "taks": "did you mean task?",
        "n_heads": "did you mean task.n_heads?",
        "mixer.n_gruops": "did you mean mixer.n_groups?",
    }
    assert all(problem.rule == "there is no such key" for problem in problems)


@pytest.mark.parametrize("value", ["${oc.env:HOME}", "a${task.dim}", "${", "???"])
def test_nothing_is_ever_expanded(catalogue: Catalogue, tmp_path: Path, value: str) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(f'training: {{folder: "{value}"}}\n')
    for reading in (
        read_answers(catalogue, None, file, []),
        read_answers(catalogue, None, None, [f"training.folder={value}"]),
        read_answers(catalogue, {"training.folder": value}, None, []),
    ):
        assert reading.answers == {}
        (problem,) = reading.problems
        assert problem.key == "training.folder"
        assert "never expanded" in problem.rule


def test_a_group_is_no_key(catalogue: Catalogue) -> None:
    reading = read_answers(catalogue, None, None, ["project=x", "project.name=mine"])
    assert dict(reading.answers) == {"project.name": Answer("mine", "flag")}
    (problem,) = reading.problems
    assert (problem.key, problem.rule) == ("project", "there is no such key")


def test_flags_need_the_form_key_value() -> None:
    values, problems = read_flags(["task", "=1", "a=", "b=c=d", "x=1", "x=2", "y=1", "y=1"])
    assert values == {"a": "", "b": "c=d", "x": "1", "y": "1"}
    assert [(problem.key, problem.value) for problem in problems] == [
        ("--set", "task"),
        ("--set", "=1"),
        ("x", "2"),
    ]


def test_yaml_scalars_stay_what_was_written() -> None:
    text = (
        "a: no\nb: 017\nc: 1:30\nd: 1e3\ne: 0x10\nf: 2001-01-01\ng: 'null'\nh: .inf\n"
        "i: {variant: yes, x: 1_000}\nj: ~\nk:\n"
    )
    found = parse_answer_text(text, "--answers", PATH)
    assert found.problems == ()
    assert found.values == {
        "a": "no",
        "b": "017",
        "c": "1:30",
        "d": "1e3",
        "e": "0x10",
        "f": "2001-01-01",
        "g": "null",
        "h": ".inf",
        "i": "yes",
        "i.x": "1_000",
        "j": "",
        "k": "",
    }


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "--answers: the file is empty"),
        ("# only a comment\n", "is empty"),
        ("--- \n", "single value at the top"),
        ("- a\n- b\n", "holds a list"),
        ("words\n", "single value at the top"),
        ("a: 1\na: 2\n", "a: line 2 repeats it (before: 1)"),
        ("a: {b: 1, b: 2}\n", "a.b: line 1 repeats it"),
        ("a: x\na.variant: y\n", "a: line 2 repeats it"),
        ("a: [1, 2]\n", "a: line 1: it must be a single value"),
        ("a: {b: {c: 1}}\n", "a.b: line 1: it must be a single value"),
        ("[a, b]: 1\n", "(a list or mapping): line 1: it must be a single value"),
        ("a: &x 1\nb: *x\n", "anchor or alias in line 1"),
        ("a: !!python/object/apply:os.system [ls]\n", "uses the tag tag:yaml.org,2002:python"),
        ("a: !!int 3\n", "uses the tag"),
        ("a: 1\n---\nb: 2\n", "second document in line 2"),
        ("a: {b\n", "not valid YAML"),
        ("a: 'b\n", "not valid YAML"),
        ("a:\tb: c\n", "not valid YAML"),
        ("a: \x00\n", "not valid YAML"),
        ("a: " + "[" * 5000 + "]" * 5000, "nest"),
        ("a: {" * 20 + "}" * 20, "nested too deeply in line 1"),
    ],
)
def test_refuses_what_is_no_file_of_answers(text: str, rule: str) -> None:
    assert rule in rule_of(text)


def test_an_anchor_bomb_is_refused_at_once() -> None:
    lines = ["a: &a [x, x]"] + [
        f"{b}: &{b} [*{a}, *{a}]" for a, b in zip("abcdef", "bcdefg", strict=True)
    ]
    assert "anchor" in rule_of("\n".join(lines))


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"a: \xff\n", "not UTF-8 text (byte 3)"),
        (b"a: 1\n" * (LARGEST_FILE // 5 + 1), "more than 1000000 bytes"),
        (None, "cannot be read"),
    ],
)
def test_refuses_files_that_cannot_be_read(
    tmp_path: Path, content: bytes | None, rule: str
) -> None:
    file = tmp_path / "a.yaml"
    if content is not None:
        file.write_bytes(content)
    (problem,) = read_answer_file(file, "--answers").problems
    assert rule in problem.rule
    assert problem.key == "--answers"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert "cannot be read" in read_answer_file(tmp_path, "--answers").problems[0].rule


def test_takes_a_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: 1\r\nb:\r\n  c: 2\r\n")
    assert read_answer_file(file, "--answers").values == {"a": "1", "b.c": "2"}


@given(st.text())
def test_any_text_is_answers_or_a_problem(text: str) -> None:
    found = parse_answer_text(text, "--answers", PATH)
    assert found.values or found.problems


@given(st.binary())
def test_any_bytes_are_answers_or_a_problem(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    file = tmp_path_factory.getbasetemp() / "any.yaml"
    file.write_bytes(content)
    found = read_answer_file(file, "--answers")
    assert found.values or found.problems


@given(st.lists(st.text(max_size=20), max_size=4))
def test_any_flags_are_answers_or_problems(catalogue: Catalogue, flags: list[str]) -> None:
    reading = read_answers(catalogue, None, None, flags)
    assert len(reading.answers) + len(reading.problems) <= len(flags)
    assert bool(flags) == bool(reading.answers or reading.problems)
