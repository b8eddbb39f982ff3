"""Runs a generated project as its owner would: processes, signals and exit codes."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from rendering import Rendering, write_tree
from torch.distributed.checkpoint.filesystem import FileSystemReader
from torch.distributed.checkpoint.metadata import TensorStorageMetadata
from torch.distributed.checkpoint.state_dict_loader import load

TIMEOUT = 300  # seconds; a process that hangs fails the test, it does not stop the suite
EXIT_STOPPED = 75


@dataclass(frozen=True)
class Project:
    """A written project, and how many processes its training takes, under torchrun or alone."""

    folder: Path
    package: str
    n_ranks: int
    is_distributed: bool

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python in the project; its package is importable, as after an install."""
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )

    def with_ranks(self, n_ranks: int) -> "Project":
        """The same project, trained by another number of processes."""
        return replace(self, n_ranks=n_ranks)

    def start_training(self, *overrides: str) -> subprocess.Popen[str]:
        """Start the training run in the background."""
        torchrun = ["-m", "torch.distributed.run", "--standalone"]
        launch = [*torchrun, f"--nproc-per-node={self.n_ranks}"] if self.is_distributed else []
        return subprocess.Popen(
            [sys.executable, *launch, "-m", f"{self.package}.train", *overrides],
            cwd=self.folder,
            env=self._environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def train(self, *overrides: str) -> str:
        """Train to the end; returns what was printed. Fails if the exit code is not 0."""
        process = self.start_training(*overrides)
        output, _ = process.communicate(timeout=TIMEOUT)
        assert process.returncode == 0, output
        return output

    def train_and_stop(self, run_dir: str, step: int, *overrides: str) -> int:
        """Train until the log shows ``step``, then send SIGTERM; returns the exit code."""
        process = self.start_training(f"train.run_dir={run_dir}", *overrides)
        # What it prints is not read until it has got the signal: a run that is faster than this
        # process waits at a full pipe, and cannot reach its end before.
        assert process.stdout is not None
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
        deadline = time.monotonic() + TIMEOUT
        while all(entry["step"] < step for entry in self.log(run_dir)):
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
                raise AssertionError(f"step {step} never came:\n{process.communicate()[0]}")
            time.sleep(0.002)
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=TIMEOUT)
        print(output)
        return process.returncode

    def log(self, run_dir: str) -> list[dict[str, Any]]:
        """The entries of a run's log so far."""
        path = self.folder / run_dir / "log.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def losses(self, run_dir: str) -> list[tuple[Any, ...]]:
        """What must repeat of every entry: its step and losses, not its speed."""
        names = ("step", "loss", "val_loss", "grad_norm", "lr")
        return [tuple(entry.get(name) for name in names) for entry in self.log(run_dir)]

    def final_state(self, run_dir: str) -> dict[str, Any]:
        """All parts of the newest checkpoint."""
        checkpoints = self.folder / run_dir / "checkpoints"
        newest = checkpoints / (checkpoints / "latest").read_text(encoding="utf-8").strip()
        state = {
            path.stem: torch.load(path, weights_only=True) for path in sorted(newest.glob("*.pt"))
        }
        shards = newest / "shards"
        return {**state, "shards": read_shards(shards)} if shards.exists() else state

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PYTHONPATH": "src",
            "OMP_NUM_THREADS": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }


def write_project(rendering: Rendering, folder: Path) -> Project:
    """Write a rendered design."""
    write_tree(rendering.tree, folder)
    n_ranks = int(rendering.design.values["world_size"])
    package = rendering.design.project.package
    is_distributed = rendering.design["parallelism"].variant != "one-device"
    return Project(folder, package, n_ranks, is_distributed)


def prepare_project(rendering: Rendering, folder: Path) -> Project:
    """Write a rendered design, and prepare its text if it has one."""
    project = write_project(rendering, folder)
    if rendering.design["data"].variant == "text":
        prepared = project.python("-m", f"{project.package}.prepare")
        assert prepared.returncode == 0, prepared.stderr
    return project


def read_shards(directory: Path) -> dict[str, torch.Tensor]:
    """All tensors that several ranks wrote between them, whole."""
    reader = FileSystemReader(directory)
    tensors = {
        name: torch.empty(entry.size, dtype=entry.properties.dtype)
        for name, entry in reader.read_metadata().state_dict_metadata.items()
        if isinstance(entry, TensorStorageMetadata)
    }
    load({**tensors}, storage_reader=reader, no_dist=True)
    return tensors


def identical(one: Any, other: Any) -> bool:
    """Whether two nested states are equal, tensors bit by bit."""
    if torch.is_tensor(one):
        return torch.is_tensor(other) and one.dtype == other.dtype and torch.equal(one, other)
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(identical(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(identical, one, other))
    return bool(one == other)
