"""Presets: the loader, and that each of ours makes a design."""

import json
import shlex
from pathlib import Path

import pytest
from rendering import read_folder

from scaffold import cli
from scaffold.answers import read_answers
from scaffold.catalogue import read_catalogue
from scaffold.errors import DesignError, TemplateError
from scaffold.parse import parse_design
from scaffold.presets import Preset, find_preset, presets_root, read_preset, read_presets
from scaffold.questions import missing_answers

NAMES = [path.stem for path in sorted(presets_root().glob("*.yaml"))]
HEAD = "preset: {title: a title, help: some help}\n"


def test_reads_a_preset(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(HEAD + "task: {variant: words, dim: 8}\n")
    answers = {"task": "words", "task.dim": "8"}
    assert read_preset(path) == Preset("mine", "a title", "some help", answers)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task: words\n", "preset.title is missing"),
        ("preset: {title: x}\n", "preset.help is missing"),
        (HEAD + "task: [a]\n", "task = (nested): line 2"),
        ("", "the file is empty"),
    ],
)
def test_a_broken_preset_names_its_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    with pytest.raises(TemplateError) as caught:
        read_preset(path)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_lists_by_name(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.yaml").write_text(HEAD)
    (tmp_path / "notes.txt").write_text("not a preset")
    assert [preset.name for preset in read_presets(tmp_path)] == ["a", "b"]


def test_an_unknown_preset_is_a_problem_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "digits-vit.yaml").write_text(HEAD)
    assert find_preset(tmp_path, "digits-vit").title == "a title"
    for name, fix in (("digit-vit", "did you mean digits-vit?"), ("../x", "lists them")):
        with pytest.raises(DesignError) as caught:
            find_preset(tmp_path, name)
        assert fix in caught.value.problems[0].fix
        assert "digits-vit" in caught.value.problems[0].rule


@pytest.mark.parametrize("name", NAMES)
def test_each_of_ours_makes_a_design_and_leaves_no_axis_open(name: str) -> None:
    catalogue = read_catalogue()
    preset = find_preset(presets_root(), name)
    reading = read_answers(catalogue, preset.answers, None, [])
    design = parse_design(catalogue, reading.answers, reading.problems)
    assert all(
        len(catalogue.axes[problem.key].parts) > 1 for problem in missing_answers(catalogue, {})
    )
    for key, answer in reading.answers.items():
        axis, _, option = key.partition(".")
        value = design[axis].options[option] if option else design[axis].variant
        assert str(value) == str(answer.value)


def test_ours_are_those_that_the_documentation_names() -> None:
    assert {"pydoc-lm", "shakespeare", "digits-vit", "gpu-lm"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_command_that_makes_it_again_names_the_preset(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new", "x", "--preset", name, "--dry-run", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)["equivalent"]
    assert again == f"scaffold new x --preset {name}"


@pytest.mark.parametrize(
    "sets",
    [
        ["optimizer=sgd", "optimizer.momentum=0.5"],  # over the preset's own optimizer
        ["training.steps=500", "schedule=wsd", "normalization=layer-norm"],
        ["project.description=it's ours"],
    ],
)
def test_what_differs_from_the_preset_is_named(
    sets: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    flags = [word for text in sets for word in ("--set", text)]
    words = ["new", "x", "--preset", "pydoc-lm", "--json"]
    assert cli.main([*words, *flags]) == 0
    again = shlex.split(json.loads(capsys.readouterr().out)["equivalent"])
    assert again[:5] == ["scaffold", "new", "x", "--preset", "pydoc-lm"]
    assert set(again[5:]) <= {"--set", *sets}
    Path("x").rename("first")
    assert cli.main(again[1:]) == 0
    assert read_folder(Path("x")) == read_folder(Path("first"))
