"""The templates of the tool as if some names had been others: edits outlive the renaming."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from boxes import Box

from scaffold.catalogue import default_roots

MORE = [
    {
        "replace": {"stopping.millinats": "*"},
        "by": {"stopping.min_delta": "= millinats / 1000"},
    },
    {"rename": "stopping.evaluations", "to": "stopping.patience"},
    {"rename": "stopping", "to": "early_stopping"},
    {"replace": {"tracking": "board"}, "by": {"tracking": "tensorboard"}},
]
OLD = ["stopping=patience", "stopping.evaluations=7", "stopping.millinats=5", "tracking=board"]
NEW = [
    "early_stopping=patience",
    "early_stopping.patience=7",
    "early_stopping.min_delta=0.005",
    "tracking=tensorboard",
]


def make_older(root: Path) -> None:
    """Takes names back to what they never were."""
    parts = root / "parts"
    (parts / "tracking/tensorboard").rename(parts / "tracking/board")
    (parts / "early_stopping").rename(parts / "stopping")
    replace(root / "frames/src/package/state.py", "early_stopping.", "stopping.")
    declaration = parts / "stopping/patience/part.yaml"
    replace(declaration, "\n  patience:\n", "\n  evaluations:\n")
    replace(declaration, "\n  min_delta:\n", "\n  millinats:\n")


def replace(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text().replace(old, new))


def make_newer(root: Path) -> None:
    """Today's templates, with what became of those names."""
    path = root / "migrations.yaml"
    data = yaml.safe_load(path.read_text())
    version = len(data["migrations"]) + 1
    data["migrations"].append({"version": version, "reason": "plainer words", "changes": MORE})
    path.write_text(yaml.safe_dump(data))


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Box:
    """A project of the older templates, which are replaced by the newer ones then."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    real = default_roots()[0]
    box = Box(tmp_path)
    monkeypatch.setattr("scaffold.catalogue.default_roots", lambda: (box.templates,))
    for make in (make_older, make_newer):
        shutil.rmtree(box.templates)
        shutil.copytree(real, box.templates)
        make(box.templates)
        if make is make_older:
            box.new(*OLD)
    return box


@pytest.mark.slow
def test_edits_comments_and_choices_are_kept(old: Box) -> None:
    pristine = old.state()
    config, metrics = "src/project/config.py", "src/project/metrics.py"
    old.replace(config, "\nfrom pathlib import Path\n", "\nfrom pathlib import Path  # Ours.\n")
    old.write(metrics, old.read(metrics) + "\n\nOURS = 1\n")
    old.write("README.md", old.read("README.md") + "\nOurs.\n")
    old.replace("scaffold.yaml", "  evaluations: 7  # ", "  # Ours: ask Ada.\n  evaluations: 8  # ")
    old.replace("scaffold.yaml", "  variant: board  # or", "  variant: board  # ours, or")
    edited = old.state()
    kinds = {"template", "migration", "design", "edited"}
    assert {item["kind"] for item in old.check().json["findings"]} == kinds
    ran = old.update()
    assert (ran.code, ran.json["conflicts"], ran.json["defaults"]) == (0, [], [])
    assert {item["key"]: item["after"] for item in ran.json["design"]} == {
        "early_stopping.patience": 8
    }
    text = old.read("scaffold.yaml")
    assert "\nearly_stopping:\n" in text
    assert "\n  # Ours: ask Ada.\n  patience: 8  # evaluations in a row" in text
    assert "\n  min_delta: 0.005  # nats" in text
    assert "\n  variant: tensorboard  # ours, or" in text
    assert "# Ours.\n" in old.read(config)
    assert old.read(metrics).endswith("OURS = 1\n")
    assert old.read("README.md").endswith("\nOurs.\n")
    assert "  patience: 8  # " in old.read("configs/train.yaml")
    assert {item["kind"] for item in old.check().json["findings"]} == {"edited"}
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "."]
    subprocess.run(command, cwd=old.project, check=True)
    assert old.update("--undo").code == 0
    assert old.state() == edited
    assert {*edited} == {*pristine}


@pytest.mark.slow
def test_without_edits_it_is_what_a_new_project_would_be(old: Box) -> None:
    answers = old.project.parent / "old.yaml"
    answers.write_text(old.read("scaffold.yaml"))
    assert old.update().code == 0
    fresh = old.fresh(*NEW)
    assert old.state() == fresh
    other = old.project.parent / "again/project"
    assert old.run("new", str(other), "--answers", str(answers)).code == 0
    assert old.state_of(other) == fresh
