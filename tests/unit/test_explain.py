"""``scaffold explain``: decisions, what else they could be, and what that would change."""

import json
import os
from pathlib import Path

import pytest
from toy import toy_templates

from scaffold import cli


@pytest.fixture(autouse=True)
def toy(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    root = toy_templates(tmp_path_factory.mktemp("toy"))
    monkeypatch.setattr("scaffold.catalogue.default_roots", lambda: (root,))
    monkeypatch.chdir(tmp_path_factory.mktemp("work"))


def test_explains_all_decisions(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain"]) == 0
    out = capsys.readouterr().out
    assert "task                       words\n    Needs no labels." in out
    assert "\nFurther options:\n  task.length                256\n" in out
    assert out.count("task.dim ") == 1
    assert cli.main(["explain", "--set", "task=pictures", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    decisions = found["decisions"]
    keys = [entry["name"] for entry in (*decisions, *found["options"])]
    assert len(keys) == len(set(keys))
    assert {"task.dim", "training.folder", "launch", "parameters"} <= set(keys)
    assert (decisions[0]["value"], decisions[0]["origin"]) == ("pictures", "flag")


def test_explains_what_another_variant_would_change(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "mixer", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (other,) = found["alternatives"]
    assert found["value"] == "shared"
    assert (other["variant"], other["impossible_because"]) == ("full", None)
    parameters = 384 * 384 + 384 * 2
    assert other["numbers"] == {
        "parameters": [parameters, 384 * 384],
        "training_bytes": [
            16 * parameters + 4 * 384 * 256 * 32,
            16 * 384 * 384 + 4 * 384 * 256 * 32,
        ],
    }
    assert other["files"] == [
        ["~", "README.md"],
        ["+", "src/experiment/full.py"],
        ["-", "src/experiment/mixer.py"],
    ]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        # Words have 6 heads where nobody chose, and 3 of them share a group.
        (["--set", "task=pictures", "--set", "task.dim=96"], 96 * 96 + 96 * 2),
        # What a file says may be chosen or, as in a scaffold.yaml, a default written down.
        (["--answers", "given.yaml"], 96 * 96 + 96 * 2),
        (["--answers", "given.yaml", "--set", "task.n_heads=4"], 96 * 96 + 96),
    ],
)
def test_a_chosen_value_goes_over_to_a_variant_that_has_it_too(
    capsys: pytest.CaptureFixture[str], given: list[str], words: int
) -> None:
    Path("given.yaml").write_text("task: {variant: pictures, dim: 96, n_heads: 4}\n")
    assert cli.main(["explain", "task", *given, "--json"]) == 0
    (other,) = json.loads(capsys.readouterr().out)["alternatives"]
    assert other["numbers"]["parameters"] == [10 * 96, words]


def test_explains_why_a_variant_is_not_possible(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--set", "task=pictures", "--set", "task.dim=64", "--set", "launch=here"]
    assert cli.main(["explain", "mixer", *flags, "--json"]) == 0
    (other,) = json.loads(capsys.readouterr().out)["alternatives"]
    assert other["impossible_because"].startswith("mixer = shared needs task = words")
    # Moving from pictures to words is possible: what only pictures has goes with it.
    assert cli.main(["explain", "task", *flags, "--json"]) == 0
    (words,) = json.loads(capsys.readouterr().out)["alternatives"]
    assert words["impossible_because"] is None


def test_explains_options_and_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    for key in ("task.dim", "dim"):
        assert cli.main(["explain", key, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["name"], found["value"], found["because"]) == ("task.dim", 384, "wide")
        assert found["facts"]["accepts"] == "a whole number from 8 to 4096"
        assert "dim % n_heads == 0" in found["facts"]["rule heads-divide"]
        assert found["facts"]["stands in"] == "the code"
    assert cli.main(["explain", "training.micro_batch_size"]) == 0
    out = capsys.readouterr().out
    assert "default: batch_size // world" in out
    assert "configs/train.yaml, train.micro_batch_size" in out
    for key, value in (("head_dim", 64), ("parameters", 384 * 384 + 384 * 2)):
        assert cli.main(["explain", key, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["value"] == value
    assert cli.main(["explain", "project.name", "--set", "project.name=my-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == "my-run"


@pytest.mark.parametrize(
    ("key", "rule", "fix"),
    [
        ("task.dmi", "no such key", "did you mean task.dim?"),
        ("vocabulary.size", "vocabulary = bytes has no such option", "--set vocabulary=..."),
        ("zzz", "no such key", "`scaffold explain` lists all keys"),
    ],
)
def test_explains_that_there_is_no_such_key(
    capsys: pytest.CaptureFixture[str], key: str, rule: str, fix: str
) -> None:
    assert cli.main(["explain", key, "--json"]) == 2
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert rule in problem["rule"]
    assert fix in problem["fix"]


def test_explains_the_project_in_the_current_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new", "x", "--set", "task.dim=96", "--defaults"]) == 0
    os.chdir("x")
    capsys.readouterr()
    assert cli.main(["explain", "dim", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == 96
    assert cli.main(["explain", "dim", "--set", "task.dim=48", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == 48
