"""``scaffold update`` as a whole process, against ``copier update`` on the same change.

copier gets a template with the very files of the two designs as its two versions, of which it has
nothing to render but its own answers; its projects are in git, without which it refuses.
"""

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.measure import interleaved, machine, median_text, verdict
from benchmarks.update_tools import SOURCE, Files, command, commit, start_history

GOAL = 0.3  # of copier's time
GOAL_BESIDE = 1.1  # of the time without other files
CHANGE = "training.steps=1500"
N_OTHERS, CHECKPOINT_BYTES = 5000, 10 * 10**9
NO_TAGS: Mapping[str, object] = {
    "_templates_suffix": ".never",
    "_exclude": ["copier.yml", ".git"],
    "_answers_file": ".copier-answers.yml",
}
ANSWERS = "{{ _copier_conf.answers_file }}.never"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares how often, and what, to update."""
    parser.add_argument("--rounds", type=int, default=9, help="runs of each tool (default: 9)")
    parser.add_argument("--preset", default="pydoc-lm", help="preset (default: pydoc-lm)")


def run(arguments: argparse.Namespace) -> bool:
    """Times the tools in turn, and prints medians and ratios."""
    with tempfile.TemporaryDirectory() as name:
        times = interleaved(
            _actions(Path(name), arguments.preset, arguments.rounds + 1), arguments.rounds
        )
    print(f"update: {CHANGE} in {arguments.preset}; {machine()}")
    for tool, each in times.items():
        print(f"  {tool:24} {median_text(each.wall)}; CPU {median_text(each.cpu)}")
    ours, beside, copier = (statistics.median(each.wall) for each in times.values())
    return all(
        [
            verdict("  scaffold / copier", ours / copier, GOAL),
            verdict("  with other files / without", beside / ours, GOAL_BESIDE),
        ]
    )


def _actions(place: Path, preset: str, n_projects: int) -> dict[str, Callable[[], None]]:
    """An update by each tool; every run takes the next of as many copies of the project."""
    pristine = place / "pristine"
    scaffold(place, "new", str(pristine), "--preset", preset)
    crowded = place / "crowded"
    shutil.copytree(pristine, crowded)
    _add_others(crowded)
    before = _read(pristine)
    changed = place / "changed"
    shutil.copytree(pristine, changed)
    scaffold(place, "update", str(changed), "--set", CHANGE)
    by_copier = _copier_project(place, before, _read(changed))
    return {
        "scaffold": _each(
            _copies(pristine, n_projects),
            lambda project: scaffold(place, "update", str(project), "--set", CHANGE),
        ),
        "scaffold, with other files": _each(
            [crowded] * n_projects, lambda project: _flip(place, project)
        ),
        "copier": _each(
            _copies(by_copier, n_projects),
            lambda project: _checked(
                (sys.executable, "-m", "copier", "update", "--defaults", "--quiet", str(project)),
                place,
            ),
        ),
    }


def _each(projects: list[Path], act: Callable[[Path], None]) -> Callable[[], None]:
    """The action on the next project at each call."""
    left = iter(projects)
    return lambda: act(next(left))


def _copies(project: Path, number: int) -> list[Path]:
    copies = [project.with_name(f"{project.name}-{i}") for i in range(number)]
    for copy in copies:
        shutil.copytree(project, copy)
    return copies


def _flip(place: Path, project: Path) -> None:
    """The change, or back: a copy of so many files for each run would fill the disk."""
    is_back = "steps: 1500" in (project / "scaffold.yaml").read_text(encoding="utf-8")
    scaffold(place, "update", str(project), "--set", "training.steps=1000" if is_back else CHANGE)


def _add_others(project: Path) -> None:
    """Thousands of the owner's files, and a folder with a large, sparse checkpoint."""
    (project / "notes").mkdir()
    for number in range(N_OTHERS):
        (project / f"notes/{number}.py").write_text(f"NUMBER = {number}\n")
    (project / "runs/default").mkdir(parents=True)
    with (project / "runs/default/model.pt").open("wb") as file:
        file.truncate(CHECKPOINT_BYTES)


def _copier_project(place: Path, before: Files, after: Files) -> Path:
    """A project that copier made from the files of the design before, with those after to come."""
    template = place / "template"
    template.mkdir()
    start_history(template)
    for number, files in enumerate((before, after), start=1):
        own = {"copier.yml": json.dumps(NO_TAGS), ANSWERS: "{{ _copier_answers | to_nice_yaml }}"}
        for name, content in {**files, **own}.items():
            path = template / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        commit(template, "--force")
        _checked(("git", "tag", f"v{number}.0.0"), template)
    project = place / "by-copier"
    words = ("copy", "--defaults", "--quiet", "--vcs-ref", "v1.0.0", str(template), str(project))
    _checked((sys.executable, "-m", "copier", *words), place)
    start_history(project)
    commit(project, "--force")
    return project


def scaffold(place: Path, *words: str) -> None:
    """Runs a command of the tool; raises RuntimeError where it fails."""
    _checked((sys.executable, "-m", "scaffold.cli", *words), place)


def _checked(words: tuple[str, ...], place: Path) -> None:
    ran = command(*words, cwd=place, PYTHONPATH=str(SOURCE))
    if ran.code != 0:
        raise RuntimeError(f"{' '.join(words)}: {ran.output}")


def _read(folder: Path) -> Files:
    """Every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
