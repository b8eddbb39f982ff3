"""Every command in README.md is run; what it shows is what is printed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scaffold.catalogue import Catalogue

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Run elsewhere: the demo by tests/demo, the tests by themselves, the installation by tests/install.
ELSEWHERE = ("make demo", "make test", "python3 -m venv", ". .venv", "pip install .")
INSTALL = "python -m pip install -e ."


def commands_and_sessions(repository: Path) -> list[tuple[str, str]]:
    """(command, expected output or nothing) in the order of the document."""
    found = []
    for kind, text in BLOCK.findall((repository / "README.md").read_text(encoding="utf-8")):
        if kind == "sh":
            found += [(line.split("   #")[0].strip(), "") for line in text.splitlines()]
        elif kind == "console":
            command, _, output = text.partition("\n")
            found.append((command.removeprefix("$ "), output))
    return [(command, output) for command, output in found if not command.startswith(ELSEWHERE)]


def plain(text: str) -> str:
    """Without the number of files and bytes, which every change of a template changes."""
    return re.sub(r"\d+ files, [\d.]+ KiB", "N files, N KiB", text.strip())


def test_the_first_commands_are_those_of_the_makefile(repository: Path) -> None:
    _, text = BLOCK.findall((repository / "README.md").read_text(encoding="utf-8"))[0]
    assert [line.split()[:2] for line in text.splitlines()] == [["make", "demo"], ["make", "test"]]
    for target in ("demo", "test"):
        result = subprocess.run(
            ["make", "-n", target], cwd=repository, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stderr


@pytest.mark.slow
def test_every_command_works_and_prints_what_is_shown(repository: Path, tmp_path: Path) -> None:
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (bin_folder / "scaffold").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m scaffold "$@"\n')
    for script in bin_folder.iterdir():
        script.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{repository / 'src'}{os.pathsep}src",
        "COLUMNS": "80",
    }
    folder = tmp_path
    for command, shown in commands_and_sessions(repository):
        if command.startswith("scaffold"):
            folder = tmp_path
        if command.startswith("cd "):
            folder = folder / command.removeprefix("cd ")
            continue
        if command == INSTALL:  # its dependencies are here already, and the package is on the path
            continue
        if shown and "my-model" in command:  # shown once as a command, once with what it prints
            shutil.rmtree(tmp_path / "my-model", ignore_errors=True)
        # Fewer steps: that the values of the preset train well is the demo's to show.
        few = (
            " train.steps=20 train.eval_every=20 train.checkpoint_every=20 schedule.warmup_steps=2"
        )
        result = subprocess.run(
            command + (few if command.endswith(".train") else ""),
            shell=True,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert result.returncode == (2 if "problem(s)" in shown else 0), result.stderr + command
        assert result.stdout + result.stderr, command
        assert plain(shown) in plain(result.stdout + result.stderr), command


def test_the_table_lists_every_variant(repository: Path, catalogue: Catalogue) -> None:
    text = (repository / "README.md").read_text(encoding="utf-8")
    rows = {
        axis: set(re.findall(r"`([\w-]+)`", variants))
        for axis, variants in re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.MULTILINE)
    }
    assert rows == {name: set(axis.parts) for name, axis in catalogue.axes.items()}
