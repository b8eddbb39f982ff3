"""Tries a pack out: projects with each of its choices beside what they meet, checked and trained.

Linter and type checker read the projects and run nothing of them: Python takes no module from where
they start, and a project that has the type checker load code is refused. To train is to run what
the pack's templates say.
"""

import importlib.util
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scaffold.catalogue import Catalogue
from scaffold.design import Design
from scaffold.errors import DesignError, PackError, ScaffoldError
from scaffold.limits import tighten
from scaffold.lock import seal
from scaffold.next_steps import next_steps
from scaffold.packs.check import make_design, own_designs, plan_of
from scaffold.packs.load import Loaded, OpenPack, make_tree
from scaffold.render import Tree

SECONDS = 900  # for one step with one project
LINES = 12  # of what a failed step said, the last are told
TOOLS = ("ruff", "mypy")
# What a type checker may be told; other settings have it load or run code.
TYPE_SETTINGS = {"files", "mypy_path", "overrides", "python_version", "strict"}
TYPE_SETTINGS |= {"untyped_calls_exclude"}
# Sizes at which a project trains in seconds, as far as the design has them and rules allow it.
SMALL: Mapping[str, str] = {
    "task.dim": "32",
    "task.n_layers": "2",
    "task.n_heads": "4",
    "task.max_seq_len": "64",
    "tokenizer.vocab_size": "512",
    "training.steps": "4",
    "training.batch_size": "8",
    "training.micro_batch_size": "2",
    "training.eval_every": "2",
    "training.eval_samples": "10",
    "training.log_every": "1",
    "graph_mode.compile_backend": "aot_eager",  # traced in full, and not compiled
}


@dataclass(frozen=True)
class Project:
    """A project to try: what is special about it, its files, and how it is trained."""

    title: str
    variants: Mapping[str, str]
    tree: Tree
    commands: tuple[str, ...]


@dataclass(frozen=True)
class Trial:
    """What became of one project."""

    title: str
    variants: Mapping[str, str]
    problems: tuple[str, ...]


def missing_tools(train: bool) -> list[str]:
    """What is needed and not installed beside this tool."""
    names = (*TOOLS, "torch") if train else TOOLS
    return [name for name in names if importlib.util.find_spec(name) is None]


def make_projects(loaded: Loaded, pack: OpenPack) -> list[Project]:
    """Small projects that together have every choice of the pack beside all that it can meet."""
    own = pack.own_parts
    projects: list[Project] = []
    problems: list[str] = []
    for variants in own_designs(loaded, own):
        tighten()  # each has the time of one command
        first = next(iter(variants.items()))
        told = [f"{axis}={variant}" for axis, variant in variants.items() if (axis, variant) in own]
        title = " ".join([f"{len(projects) + 1}: {first[1]}", *told])
        try:
            design = _small_design(loaded.catalogue, variants)
            projects.append(_project(loaded, title, variants, design))
        except ScaffoldError as error:
            problems.append(f"{title}: {error}")
    if problems:
        raise PackError(problems)
    return projects


def try_out(project: Project, folder: Path, cache: Path, train: bool) -> Trial:
    """Writes a project to a folder and checks it; what is wrong is told, step by step."""
    for path, file in project.tree.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
        target.chmod(file.mode)
    problems = list(_source_problems(folder, cache))
    if train and not problems:
        problems += _training_problems(project, folder)
    return Trial(project.title, project.variants, tuple(problems))


def _small_design(catalogue: Catalogue, variants: Mapping[str, str]) -> Design:
    """The design at a size that trains in seconds; sizes that it cannot have are left out."""
    small = dict(SMALL)
    while True:
        try:
            return make_design(catalogue, {**variants, **small})
        except DesignError as error:
            keys = {problem.key for problem in error.problems} & small.keys()
            if not keys and small:
                return make_design(catalogue, variants)
            if not keys:
                raise
            small = {key: value for key, value in small.items() if key not in keys}


def _project(loaded: Loaded, title: str, variants: Mapping[str, str], design: Design) -> Project:
    plan = plan_of(loaded.catalogue, design)
    steps = [command for command, _ in next_steps(plan, ".")[2:]]  # in the folder, and installed
    tree = seal(loaded.catalogue, plan, make_tree(loaded, plan))
    return Project(title, variants, tree, tuple(steps))


def _source_problems(folder: Path, cache: Path) -> Iterator[str]:
    yield from _step(
        "ruff check",
        ["-P", "-m", "ruff", "check", "--no-cache", "--output-format=concise", str(folder)],
        folder.parent,
    )
    words = ["-P", "-m", "ruff", "format", "--check", "--diff", "--no-cache", str(folder)]
    yield from _step("ruff format", words, folder.parent)
    refused = _type_settings_problem(folder)
    if refused is not None:
        yield refused
        return
    words = ["--config-file", "pyproject.toml", "--cache-dir", str(cache)]
    yield from _step("mypy", ["-P", "-m", "mypy", *words], folder)


def _type_settings_problem(folder: Path) -> str | None:
    try:
        text = (folder / "pyproject.toml").read_text(encoding="utf-8")
        settings = tomllib.loads(text).get("tool", {}).get("mypy", {})
    except (OSError, ValueError) as error:
        return f"pyproject.toml: {error}"
    odd = sorted(set(settings) - TYPE_SETTINGS)
    return f"pyproject.toml: tool.mypy.{odd[0]}: is not allowed in a pack" if odd else None


def _training_problems(project: Project, folder: Path) -> Iterator[str]:
    """What goes wrong when the project is prepared and trained by its own commands."""
    for command in project.commands:
        words = shlex.split(command)
        launcher = {"python": [], "torchrun": ["-m", "torch.distributed.run"]}.get(words[0])
        if launcher is None:
            yield f"{command}: is not started by python or torchrun"
            return
        problems = list(_step(command, [*launcher, *words[1:]], folder, PYTHONPATH="src"))
        yield from problems
        if problems:
            return
    if not list((folder / "runs").rglob("log.jsonl")):
        yield "the training wrote no log"


def _step(name: str, words: Sequence[str], folder: Path, **more: str) -> Iterator[str]:
    """Runs Python with some arguments in a folder; the problem, if it fails."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    try:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=folder,
            env={**kept, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        yield f"{name}: takes more than {SECONDS} seconds"
        return
    if done.returncode != 0:
        said = "\n    ".join(done.stdout.strip().splitlines()[-LINES:])
        yield f"{name} ends with {done.returncode}:\n    {said}"
