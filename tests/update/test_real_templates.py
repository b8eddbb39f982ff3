"""The templates of the tool: a switched option gives the project that a new one would be."""

import subprocess
import sys
from pathlib import Path

import pytest
from boxes import Box

FLIPS = (
    ("attention=latent",),
    ("optimizer=muon",),
    ("parallelism=ddp",),
    ("attention=grouped-query", "parallelism=one-device"),
)


@pytest.fixture
def real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Box:
    """A project of the real templates."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    box = Box(tmp_path)
    box.new()
    return box


def flags(sets: tuple[str, ...]) -> list[str]:
    return [word for text in sets for word in ("--set", text)]


def test_flips_without_edits_give_what_a_new_project_would_be(real: Box) -> None:
    sets: dict[str, str] = {}
    for flip in FLIPS:
        assert real.update(*flags(flip)).code == 0
        sets |= dict(item.split("=") for item in flip)
        fresh = real.fresh(*(f"{key}={value}" for key, value in sets.items()))
        assert real.state() == fresh


def test_flips_keep_edits_and_the_result_is_sound(real: Box) -> None:
    source = "src/project"
    config = f"{source}/config.py"
    real.replace(config, "\nfrom pathlib import Path\n", "\nfrom pathlib import Path  # Ours.\n")
    real.write(f"{source}/mine.py", '"""Ours."""\n')
    real.write("README.md", real.read("README.md") + "\nOurs.\n")
    real.path("launch/local.sh").rename(real.path("launch/here.sh"))
    for flip in FLIPS:
        ran = real.update(*flags(flip))
        assert (ran.code, ran.conflicts()) == (0, [])
        assert real.check().code == 0
    assert "# Ours." in real.read(config)
    assert real.read("README.md").endswith("\nOurs.\n")
    for command in (["ruff", "check", "."], ["compileall", "-q", "src", "tests"]):
        subprocess.run([sys.executable, "-m", *command], cwd=real.project, check=True)


def test_another_task_is_another_project(real: Box) -> None:
    assert real.update("--set", "task=image-classification").code == 0
    assert real.state() == real.fresh("task=image-classification")
