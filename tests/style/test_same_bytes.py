"""The same design gives the same bytes: again, elsewhere, and from what a project records."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from rendering import Rendering, parse, preset_answers, read_folder, render_answers, write_tree

from scaffold import expressions, frames, imports
from scaffold import render as rendering_module
from scaffold.answers import Answer
from scaffold.base import read_base
from scaffold.catalogue import Catalogue, read_catalogue
from scaffold.decisions import decide
from scaffold.estimates import estimate
from scaffold.lock import Lock, read_lock, seal
from scaffold.parse import parse_design
from scaffold.plan import make_plan
from scaffold.presets import presets_root, read_presets
from scaffold.records import BASE_PATH, DESIGN_PATH, LOCK_PATH
from scaffold.render import Tree, render

PRESETS = [preset.name for preset in read_presets(presets_root())]
# Another seed of hashes, language, time zone and width, and one stray variable that tools look at.
ELSEWHERE = (
    {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "Asia/Kathmandu", "COLUMNS": "40"},
    {"PYTHONHASHSEED": "4321", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "0", "SOURCE_DATE_EPOCH": "1"},
    {"PYTHONHASHSEED": "7", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "PYTHONOPTIMIZE": "1"},
)


def content(tree: Tree) -> dict[str, tuple[bytes, int]]:
    return {path: (file.content, file.mode) for path, file in tree.items()}


def run_new(repository: Path, place: Path, environment: Mapping[str, str], *words: str) -> None:
    """Runs ``scaffold new`` in a process of its own, in the folder ``place``."""
    place.mkdir(parents=True, exist_ok=True)
    result = subprocess.run(
        [sys.executable, "-m", "scaffold.cli", "new", *words],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(repository / "src"), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("preset", PRESETS)
def test_rendering_twice_gives_the_same_bytes(catalogue: Catalogue, preset: str) -> None:
    first = render_answers(catalogue, preset_answers(preset))
    for cached in (
        frames.read_python,
        frames.read_fragment,
        imports.read_header,
        imports.emit,
        rendering_module._compile,
        expressions._compile,
    ):
        cached.cache_clear()
    again = render_answers(read_catalogue(), preset_answers(preset))
    assert content(again.tree) == content(first.tree)


@pytest.mark.parametrize("preset", PRESETS[-2:])
def test_other_processes_give_the_same_bytes(
    repository: Path, catalogue: Catalogue, tmp_path: Path, preset: str
) -> None:
    given = {**preset_answers(preset), "project.name": preset}
    expected = content(render_answers(catalogue, given).tree)
    for index, environment in enumerate(ELSEWHERE):
        place = tmp_path / str(index) / "some folder"
        run_new(repository, place, environment, preset, "--preset", preset)
        assert read_folder(place / preset) == expected


def test_the_written_design_gives_the_same_bytes(
    repository: Path, catalogue: Catalogue, tmp_path: Path
) -> None:
    given = {**preset_answers(PRESETS[0]), "project.name": "first", "training.steps": 123}
    tree = render_answers(catalogue, given).tree
    write_tree(tree, tmp_path / "first")
    run_new(repository, tmp_path, {}, "second", "--answers", f"first/{DESIGN_PATH}")
    assert read_folder(tmp_path / "second") == content(tree)


def test_every_lock_gives_the_same_bytes(
    catalogue: Catalogue, covering_set: Mapping[str, Rendering]
) -> None:
    for title, rendering in covering_set.items():
        lock = read_lock(rendering.tree[LOCK_PATH].content.decode())
        assert content(_from_lock(catalogue, lock)) == content(rendering.tree), title


def test_every_base_archive_holds_the_other_files(covering_set: Mapping[str, Rendering]) -> None:
    for rendering in covering_set.values():
        base = read_base(rendering.tree[BASE_PATH].content)
        rest = {path: file for path, file in rendering.tree.items() if path in base}
        assert content(base) == content(rest)
        assert set(rendering.tree) - set(base) == {LOCK_PATH, BASE_PATH}


def test_where_answers_came_from_does_not_show(catalogue: Catalogue) -> None:
    design = parse(catalogue, preset_answers(PRESETS[0]))
    trees = []
    for origin in ("preset", "file", "flag", "asked"):
        answers = {
            "project.name": Answer("tiny-run", origin),
            **{
                key: Answer(value, origin)
                for choice in reversed(list(design))
                for key, value in {
                    choice.axis: choice.variant,
                    **{f"{choice.axis}.{name}": value for name, value in choice.options.items()},
                }.items()
            },
        }
        again = parse_design(catalogue, answers)
        plan = make_plan(catalogue, again, decide(catalogue, again), estimate(catalogue, again))
        trees.append(content(seal(catalogue, plan, render(plan))))
    assert all(tree == trees[0] for tree in trees)
    assert trees[0] == content(render_answers(catalogue, preset_answers(PRESETS[0])).tree)


def test_no_trace_of_the_machine_is_written(
    repository: Path, covering_set: Mapping[str, Rendering]
) -> None:
    traces = [str(repository).encode(), str(Path.home()).encode() + b"/", sys.prefix.encode()]
    for title, rendering in covering_set.items():
        for path, file in {
            **rendering.tree,
            **read_base(rendering.tree[BASE_PATH].content),
        }.items():
            assert not any(trace in file.content for trace in traces), f"{title}: {path}"


def _from_lock(catalogue: Catalogue, lock: Lock) -> Tree:
    """The tree of the design that a lock records."""
    answers = {f"project.{key}": Answer(text, "file") for key, text in vars(lock.project).items()}
    for choice in lock.choices.values():
        answers[choice.axis] = Answer(choice.variant, "file")
        for name, value in choice.options.items():
            answers[f"{choice.axis}.{name}"] = Answer(value, "file")
    design = parse_design(catalogue, answers)
    plan = make_plan(catalogue, design, decide(catalogue, design), estimate(catalogue, design))
    return seal(catalogue, plan, render(plan))
