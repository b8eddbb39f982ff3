"""Makes a project of a preset, trains it as a user would, and measures it on all of its data."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Trained:
    """A finished run; losses are in nats per target, over the whole validation split."""

    project: Path
    parameters: int
    steps: int
    tokens: int
    seconds: float
    targets: int
    best_loss: float
    last_loss: float

    def summary(self) -> str:
        """Everything but the project, in one line."""
        return (
            f"{self.parameters:,} parameters, {self.steps:,} steps, {self.tokens:,} tokens, "
            f"{self.seconds:.0f} s of training; over all {self.targets:,} validation targets: "
            f"best checkpoint {self.best_loss:.4f}, last {self.last_loss:.4f} nats"
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares where to work, and values that differ from the preset's."""
    parser.add_argument(
        "--work", type=Path, default=ROOT / "build/benchmarks", help="folder for the project"
    )
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        dest="sets",
        help="an answer in place of the preset's, as in `scaffold new`",
    )


def train(preset: str, arguments: argparse.Namespace, values: Sequence[str] = ()) -> Trained:
    """Generates, prepares and trains; ``values`` are run-time values (``group.key=value``)."""
    project: Path = arguments.work / preset
    shutil.rmtree(project, ignore_errors=True)
    project.parent.mkdir(parents=True, exist_ok=True)
    sets = [f"--set={text}" for text in arguments.sets]
    _run(ROOT, "scaffold.cli", "new", str(project), "--preset", preset, *sets, source=ROOT / "src")
    package = preset.replace("-", "_")
    _run(project, f"{package}.prepare", *values)
    start = time.perf_counter()
    _run(project, f"{package}.train", *values)
    seconds = time.perf_counter() - start
    # -P: the folder of the script, this package, must not be searched for the project's modules.
    command = [sys.executable, "-P", str(Path(__file__).with_name("validation.py"))]
    output = subprocess.run(
        [*command, package, *values],
        cwd=project,
        env=_environment(project / "src"),
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
    return Trained(project=project, seconds=seconds, **json.loads(output))


def _run(folder: Path, module: str, *words: str, source: Path | None = None) -> None:
    """Runs a module; what it prints is shown."""
    environment = _environment(folder / "src" if source is None else source)
    subprocess.run([sys.executable, "-m", module, *words], cwd=folder, env=environment, check=True)


def _environment(source: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(source)}
