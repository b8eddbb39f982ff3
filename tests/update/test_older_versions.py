"""Projects that every older version of the templates made are updated by those of today."""

import subprocess
import sys
from pathlib import Path

import pytest
from boxes import Box
from record_version import DESIGNS

from scaffold.applied import written_values
from scaffold.base import read_base
from scaffold.catalogue import Catalogue, read_catalogue
from scaffold.lock import Lock, read_lock
from scaffold.migrated import bring
from scaffold.migrations import TOOL, versions
from scaffold.records import BASE_PATH, DESIGN_PATH, LOCK_PATH
from scaffold.revision import flat_values, revise

VERSIONS = Path(__file__).parent / "versions"
NEWEST = versions(read_catalogue().migrations).get(TOOL, 0)
RECORDED = [(version, name) for version in range(NEWEST + 1) for name in DESIGNS]
GONE = {
    (0, "image"): {"task.image_size", "task.n_channels", "task.n_classes"},
}
CONFIG = "configs/train.yaml"

recorded = pytest.mark.parametrize(("version", "name"), RECORDED)


@pytest.fixture
def old(version: int, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Box:
    """A project as it was made at a version."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    box = Box(tmp_path)
    folder = VERSIONS / str(version) / name
    archive = (folder / "base.tar.bz2").read_bytes()
    for path, file in read_base(archive).items():
        box.write(path, file.content)
        box.path(path).chmod(file.mode)
    box.write(DESIGN_PATH, (folder / "scaffold.yaml").read_bytes())
    box.write(LOCK_PATH, (folder / "lock.yaml").read_bytes())
    box.write(BASE_PATH, archive)
    return box


def lock_of(version: int, name: str) -> Lock:
    return read_lock((VERSIONS / str(version) / name / "lock.yaml").read_text())


def test_every_version_is_recorded() -> None:
    """Where this fails, run record_version.py with the templates of before the new migration."""
    found = {path.name for path in VERSIONS.iterdir()}
    assert found == {str(version) for version in range(NEWEST + 1)}
    for version, name in RECORDED:
        assert lock_of(version, name).migrations == version


@recorded
def test_what_was_chosen_is_what_is_chosen(version: int, name: str, catalogue: Catalogue) -> None:
    lock = lock_of(version, name)
    written = written_values((VERSIONS / str(version) / name / "scaffold.yaml").read_text())
    current = bring(catalogue, lock, written)
    revision = revise(catalogue, current.lock, current.written, {})
    before = flat_values(lock.project, lock.choices)
    after = flat_values(revision.design.project, revision.design.choices)
    told = {key for event in current.events for key in event.before}
    assert told == GONE.get((version, name), set())
    assert {key: after.get(key) for key in before if key not in told} == {
        key: value for key, value in before.items() if key not in told
    }
    assert {change.key for change in revision.changes} == {*after} - {*before}
    again = bring(catalogue, current.lock, current.written)
    assert (again.lock, again.written, again.events) == (current.lock, current.written, ())


@recorded
@pytest.mark.slow
def test_the_project_is_updated_and_edits_are_kept(old: Box, name: str) -> None:
    before = old.state()
    package = f"src/{name}"
    old.write(DESIGN_PATH, "# Ours: ask Ada.\n" + old.read(DESIGN_PATH))
    old.replace(
        DESIGN_PATH, "  n_layers: 4" if name == "image" else "  n_layers: 6", "  n_layers: 3"
    )
    old.write("README.md", old.read("README.md") + "\nOurs.\n")
    old.write(f"{package}/mine.py", '"""Ours."""\n')
    edited = old.state()
    assert old.check().code == 2
    ran = old.update()
    assert (ran.code, ran.json["conflicts"]) == (0, []), ran.out
    assert old.check().code == 0
    assert old.read(DESIGN_PATH).startswith("# Ours: ask Ada.\n")
    assert "  n_layers: 3" in old.read(DESIGN_PATH)
    assert old.read("README.md").endswith("\nOurs.\n")
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "."]
    subprocess.run(command, cwd=old.project, check=True)
    assert old.update().json["files"] == []
    assert old.update("--undo").code == 0
    assert old.state() == edited
    assert {*edited} - {*before} == {f"{package}/mine.py"}
