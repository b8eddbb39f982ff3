"""``scaffold new`` as a whole process, against two tools that copy the same files.

The others get a plain template with the very files that ``scaffold new`` writes, in which the name
of the package is the one variable; every file goes through their renderer. They choose nothing,
which is less work than ours.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import interleaved, machine, median_text, verdict

SOURCE = Path(__file__).resolve().parent.parent / "src"
# Delimiters that no file of a project contains.
OPEN, CLOSE = "<[", "]>"
ENVIRONMENT = {
    "variable_start_string": OPEN,
    "variable_end_string": CLOSE,
    "block_start_string": "<%",
    "block_end_string": "%>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}
GOALS = {"copier": 0.6, "cookiecutter": 1.0}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares how often, and what, to render."""
    parser.add_argument("--rounds", type=int, default=15, help="runs of each tool (default: 15)")
    parser.add_argument("--preset", default="pydoc-lm", help="preset (default: pydoc-lm)")


def run(arguments: argparse.Namespace) -> bool:
    """Times the three tools in turn, and prints medians and ratios."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        actions = _actions(place, arguments.preset)
        times = interleaved(actions, arguments.rounds)
        n_files = sum(path.is_file() for path in (place / "made" / "demo").rglob("*"))
    print(f"new: {n_files} files of {arguments.preset}; {machine()}")
    for tool, each in times.items():
        print(f"  {tool:12} {median_text(each.wall)}; CPU {median_text(each.cpu)}")
    are_met = []
    for tool, goal in GOALS.items():
        cpu = statistics.median(times["scaffold"].cpu) / statistics.median(times[tool].cpu)
        wall = statistics.median(times["scaffold"].wall) / statistics.median(times[tool].wall)
        print(f"  scaffold / {tool}: {cpu:.2f} of the CPU time")
        are_met.append(verdict(f"  scaffold / {tool}", wall, goal))
    return all(are_met)


def _actions(place: Path, preset: str) -> dict[str, Callable[[], None]]:
    """One run of each tool, into a folder that it finds empty."""
    environment = {
        **os.environ,
        "HOME": str(place),
        "XDG_CONFIG_HOME": str(place),
        "PYTHONPATH": str(SOURCE),
    }
    made = place / "made"

    def action(*words: str) -> Callable[[], None]:
        def act() -> None:
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir()
            command = [sys.executable, "-m", *words]
            subprocess.run(command, cwd=made, env=environment, check=True, capture_output=True)

        return act

    scaffold = action("scaffold.cli", "new", "demo", "--preset", preset)
    scaffold()
    files = _read(made / "demo")
    copier, cookiecutter = place / "copier", place / "cookiecutter"
    _write_template(files, copier, "package")
    _write_template(
        files, cookiecutter / f"{OPEN} cookiecutter.package {CLOSE}", "cookiecutter.package"
    )
    settings = {"_templates_suffix": "", "_envops": ENVIRONMENT, "package": "demo"}
    (copier / "copier.yml").write_text(json.dumps({**settings, "_exclude": ["copier.yml"]}))
    (cookiecutter / "cookiecutter.json").write_text(
        json.dumps({"package": "demo", "_jinja2_env_vars": ENVIRONMENT})
    )
    actions = {
        "scaffold": scaffold,
        "copier": action("copier", "copy", "--defaults", "--quiet", str(copier), "demo"),
        "cookiecutter": action("cookiecutter", "--no-input", str(cookiecutter)),
    }
    for tool, act in actions.items():
        act()
        if _read(made / "demo") != files:
            raise RuntimeError(f"{tool} does not write the files of the others")
    return actions


def _read(folder: Path) -> dict[Path, bytes]:
    """Every file below a folder."""
    return {
        path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def _write_template(files: dict[Path, bytes], folder: Path, variable: str) -> None:
    """The files with the package's name, which is ``demo``, replaced by a variable."""
    tag = f"{OPEN} {variable} {CLOSE}"
    for path, content in files.items():
        target = folder / Path(*(tag if piece == "demo" else piece for piece in path.parts))
        target.parent.mkdir(parents=True, exist_ok=True)
        is_text = path.suffix != ".bz2"
        target.write_bytes(content.replace(b"demo", tag.encode()) if is_text else content)
