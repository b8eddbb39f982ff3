"""Text and JSON: deterministic, free of the terminal where piped, complete for programs."""

import io
import json

import pytest

from scaffold.alternatives import Alternative
from scaffold.decisions import Decision
from scaffold.design import Choice, Design, Project
from scaffold.errors import DesignError, DestinationError, Problem
from scaffold.explanation import Explanation
from scaffold.report import (
    Made,
    Style,
    decisions_text,
    error_json,
    error_text,
    explanation_json,
    explanation_text,
    made_json,
    made_text,
    summary_text,
    table_text,
    tree_text,
)
from scaffold.streams import BOLD, NOT_BOLD
from scaffold.units import bytes_text, count_text, quantity

DECISIONS = (
    Decision("task", "words", "Needs no labels.", "https://example.org", "default"),
    Decision("training.rate", 0.5, "Fast.", "", "flag"),
    Decision("parameters", 12_345_678, "dim * dim", "", "derived"),
)
DESIGN = Design(
    Project("a-b", "a_b", "A test."),
    {"task": Choice("task", "words", {"dim": 8})},
    {"dim": 8},
    {"task": "default", "task.dim": "default"},
)
MADE = Made("a-b", True, {"b/c.py": 2048, "a.md": 10, "b/d/e.py": 1}, [("cd a-b", "go")], "again")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1536, "1.50 KiB"),
        (1024**2 - 1, "1.00 MiB"),
        (5 * 1024**3, "5 GiB"),
        (1024**7, "1048576.00 PiB"),
    ],
)
def test_bytes_have_binary_units(number: int, text: str) -> None:
    assert bytes_text(number) == text


def test_numbers_have_units_by_their_name() -> None:
    assert count_text(999) == "999"
    assert count_text(999_999) == "1.00 M"
    assert quantity("parameters", 12_345_678) == "12.35 M (12,345,678)"
    assert quantity("parameters", 12) == "12"
    assert quantity("flops_per_token", 64_290_816) == "64.29 MFLOP"
    assert quantity("training_bytes", 1536) == "1.50 KiB"
    assert quantity("cache_bytes_per_token", 1536) == "1.50 KiB"
    assert quantity("training.rate", 0.001) == "0.001"
    assert quantity("training.shuffle", True) == "true"
    assert quantity("optimizer_bytes", "text") == "text"


def test_a_pipe_gets_no_colour_and_a_fixed_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    assert Style.of(io.StringIO(), {}) == Style(100, bold=False)
    assert Style.of(Terminal(), {}) == Style(50, bold=True)
    assert Style.of(Terminal(), {"NO_COLOR": "1"}) == Style(50, bold=False)
    assert Style.of(Terminal(), {"NO_COLOR": ""}) == Style(50, bold=True)
    assert Style.of(Terminal(), {"TERM": "dumb"}) == Style(50, bold=False)
    monkeypatch.setenv("COLUMNS", "5")
    assert Style.of(Terminal(), {}).width == 40


def test_decisions_are_told_with_reason_and_origin() -> None:
    assert decisions_text(DECISIONS, Style()) == (
        "task                       words\n    Needs no labels.\n"
        "training.rate              0.5  [flag]\n    Fast.\n"
        "parameters                 12.35 M (12,345,678)\n    = dim * dim\n"
    )
    assert f"{BOLD}task                       words{NOT_BOLD}\n" in decisions_text(
        DECISIONS, Style(bold=True)
    )


def test_long_reasons_are_wrapped_but_never_cut() -> None:
    reason = "word " * 30 + "x" * 60
    text = decisions_text([Decision("a", 1, reason, "", "default")], Style(width=40))
    assert "".join(text.split("\n", 1)[1].split()) == "".join(reason.split())
    assert max(len(line) for line in text.split("\n")[:-2]) <= 40


def test_the_review_has_one_line_for_each_decision() -> None:
    assert summary_text(DESIGN, DECISIONS, Style()).split("\n") == [
        "a-b (package a_b)",
        "  task                       words",
        "  training.rate              0.5  [flag]",
        "  parameters                 12.35 M (12,345,678)",
        "",
    ]


def test_the_tree_shows_each_folder_once() -> None:
    lines = [line.split() for line in tree_text("a-b", MADE.sizes).splitlines()]
    assert lines == [
        ["a-b/"],
        ["a.md", "10", "B"],
        ["b/"],
        ["c.py", "2", "KiB"],
        ["d/"],
        ["e.py", "1", "B"],
    ]


def test_what_was_made_ends_with_what_comes_next() -> None:
    assert made_text(MADE, DECISIONS, Style()) == (
        "a-b: 3 files, 2.01 KiB\n\nNext:\n  cd a-b  # go\n\nThe same again:\n  again\n"
    )


def test_a_dry_run_shows_everything_and_says_so() -> None:
    made = Made(MADE.destination, False, MADE.sizes, MADE.commands, MADE.equivalent)
    text = made_text(made, DECISIONS, Style())
    assert "3 files, 2.01 KiB; nothing is written" in text
    assert "Needs no labels." in text
    assert "e.py" in text
    assert "Next:" not in text


def test_json_of_what_was_made() -> None:
    modes = {"b/c.py": 0o755, "a.md": 0o644, "b/d/e.py": 0o644}
    found = json.loads(made_json(MADE, DESIGN, DECISIONS, modes))
    assert found["written"] is True
    assert found["project"] == {"name": "a-b", "package": "a_b", "description": "A test."}
    assert found["design"] == {"task": {"variant": "words", "dim": 8}}
    assert found["files"][0] == {"path": "b/c.py", "bytes": 2048, "mode": "755"}
    assert found["commands"] == [{"run": "cd a-b", "does": "go"}]
    assert found["equivalent"] == "again"
    assert found["decisions"][1]["origin"] == "flag"


def test_problems_as_text_and_json() -> None:
    problem = Problem("task.dim", "x", "it must be a whole number", "give one")
    error = DesignError([problem, problem])
    assert error_text(error, Style()) == (
        "2 problem(s); nothing is written.\n"
        + "  task.dim = x: it must be a whole number\n      fix: give one\n" * 2
    )
    entry = {
        "key": "task.dim",
        "value": "x",
        "rule": "it must be a whole number",
        "fix": "give one",
    }
    assert json.loads(error_json(error)) == {"problems": [entry, entry]}
    other = DestinationError("no room")
    assert error_text(other, Style()) == "error: no room\n"
    assert json.loads(error_json(other)) == {
        "problems": [{"key": "", "value": "", "rule": "no room", "fix": ""}]
    }


def test_explanations_name_what_an_alternative_changes() -> None:
    texts = ("full", "full heads", "Each its own.", "Simple.", "https://example.org/full")
    numbers = {"parameters": (1, 2), "cache_bytes_per_token": (None, 1536)}
    found = Explanation(
        DECISIONS[0],
        {"question": "What?"},
        (
            Alternative(*texts, None, numbers, (("+", "a.py"), ("~", "b.py"))),
            Alternative("none", "no heads", "Nothing.", "", "", "words need heads", {}, ()),
        ),
    )
    assert explanation_text(found, Style()) == (
        "task                       words\n    Needs no labels.\n"
        "    question: What?\n    source: https://example.org\n"
        "\ninstead: full (full heads)\n    Simple.\n"
        "    parameters: 1 -> 2\n    cache_bytes_per_token: none -> 1.50 KiB\n"
        "    + a.py\n    ~ b.py\n"
        "\ninstead: none (no heads)\n    Nothing.\n    not possible here: words need heads\n"
    )
    document = json.loads(explanation_json(found))
    assert document["name"] == "task"
    assert document["facts"] == {"question": "What?"}
    assert document["alternatives"][0]["numbers"]["parameters"] == [1, 2]
    assert document["alternatives"][1]["impossible_because"] == "words need heads"


def test_tables_are_aligned() -> None:
    assert table_text([("a", "one"), ("long", "two"), ("x", "")]) == "a     one\nlong  two\nx\n"
