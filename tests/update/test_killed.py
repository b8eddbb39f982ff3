"""An update that is killed leaves the old or the new project, and the next run works."""

import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from boxes import Box

from scaffold import transaction
from scaffold.errors import DestinationError
from scaffold.journal import Record
from scaffold.snapshot import read_file
from scaffold.transaction import Step, apply, only_writer, read_undo, recover

TRAINS = "src/project/train.py"
CALLS = ("open", "fsync", "chmod", "mkdir", "rmdir", "rename", "replace", "unlink", "symlink")
UPDATE = ("--set", "size.steps=9", "--set", "color=blue")
NEW = ("size.steps=9", "color=blue")


def killed_at(moment: int, action: Callable[[], object]) -> bool:
    """Runs an action in a process that dies at a call of the system; whether it came so far."""
    child = os.fork()
    if child == 0:
        calls = itertools.count()

        def next_call() -> None:
            if next(calls) == moment:
                os.kill(os.getpid(), signal.SIGKILL)

        for name in CALLS:
            setattr(os, name, _counting(getattr(os, name), next_call))
        action()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL)
    return status != 0


def _counting(
    original: Callable[..., object], before: Callable[[], object]
) -> Callable[..., object]:
    def call(*arguments: object, **options: object) -> object:
        before()
        return original(*arguments, **options)

    return call


def steps_done(box: Box) -> list[Step]:
    """What the last update did: the other way round, it is what undoes it."""
    return [Step(step.path, step.after, step.before) for step in read_undo(box.project)]


@pytest.fixture
def ready(box: Box) -> Box:
    """A project with edits, one update behind."""
    box.new()
    box.replace(TRAINS, "return 7", "return 77")
    box.path("go.sh").chmod(0o700)
    return box


def restored(box: Box, kept: Path) -> None:
    shutil.rmtree(box.project)
    shutil.copytree(kept, box.project, symlinks=True)


def test_killed_at_every_moment(ready: Box, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    shutil.copytree(ready.project, kept, symlinks=True)
    old = ready.state()
    assert ready.update(*UPDATE).code == 0
    new = ready.state()
    steps = steps_done(ready)
    restored(ready, kept)
    moment = 0
    while killed_at(moment, lambda: apply(ready.project, steps)):
        with only_writer(ready.project):
            pass
        state = ready.state()
        assert state in (old, new), moment
        if state == old:
            with pytest.raises(DestinationError, match="no update to undo"):
                read_undo(ready.project)
            apply(ready.project, steps)
            assert ready.state() == new
        apply(ready.project, read_undo(ready.project), keep_undo=False)
        assert ready.state() == old
        assert sorted(os.listdir(ready.path(".scaffold"))) == ["base.tar.bz2", "lock.yaml"]
        restored(ready, kept)
        moment += 1
    assert moment >= 50


def test_killed_while_it_replaces_what_an_earlier_update_kept(ready: Box, tmp_path: Path) -> None:
    assert ready.update("--set", "size.width=10").code == 0
    kept = tmp_path / "kept"
    shutil.copytree(ready.project, kept, symlinks=True)
    old = ready.state()
    assert ready.update(*UPDATE).code == 0
    new = ready.state()
    steps = steps_done(ready)
    restored(ready, kept)
    outcomes = []
    moment = 0
    while killed_at(moment, lambda: apply(ready.project, steps)):
        with only_writer(ready.project):
            pass
        state = ready.state()
        assert state in (old, new), moment
        changed = {step.path for step in read_undo(ready.project)}
        assert (TRAINS in changed) is (state == new), moment
        outcomes.append(state == new)
        restored(ready, kept)
        moment += 1
    assert outcomes == sorted(outcomes)
    assert set(outcomes) == {False, True}


def test_killed_while_it_is_undone(ready: Box, tmp_path: Path) -> None:
    old = ready.state()
    assert ready.update(*UPDATE).code == 0
    kept = tmp_path / "kept"
    shutil.copytree(ready.project, kept, symlinks=True)
    new = ready.state()
    steps = read_undo(ready.project)
    moment = 0
    while killed_at(moment, lambda: apply(ready.project, steps, keep_undo=False)):
        with only_writer(ready.project):
            pass
        state = ready.state()
        assert state in (old, new), moment
        if state == new:
            assert read_undo(ready.project) == steps
        else:
            assert sorted(os.listdir(ready.path(".scaffold"))) == ["base.tar.bz2", "lock.yaml"]
        restored(ready, kept)
        moment += 1
    assert moment >= 50


def test_killed_again_while_it_recovers(ready: Box, tmp_path: Path) -> None:
    old = ready.state()
    kept = tmp_path / "kept"
    shutil.copytree(ready.project, kept, symlinks=True)
    assert ready.update(*UPDATE).code == 0
    steps = steps_done(ready)
    restored(ready, kept)
    last = 0
    while killed_at(last, lambda: apply(ready.project, steps)) and not _is_written(ready, steps):
        restored(ready, kept)
        last += 1
    half = tmp_path / "half"
    shutil.copytree(ready.project, half, symlinks=True)
    assert (half / transaction.ACTIVE).exists()
    moment = 0
    while killed_at(moment, lambda: recover(ready.project)):
        recover(ready.project)
        assert ready.state() == old, moment
        restored(ready, half)
        moment += 1
    assert moment > 10


def _is_written(box: Box, steps: Sequence[Step]) -> bool:
    return all(read_file(box.path(step.path)) == step.after for step in steps)


def test_what_was_edited_after_the_kill_is_kept(ready: Box) -> None:
    assert ready.update(*UPDATE).code == 0
    steps = steps_done(ready)
    assert ready.run("update", str(ready.project), "--undo").code == 0
    last = 0
    while killed_at(last, lambda: apply(ready.project, steps)) and not _is_written(ready, steps):
        with only_writer(ready.project):
            pass
        last += 1
    ready.replace(TRAINS, "return 6", "return 66")
    ready.write("src/project/blue.py", "mine\n")
    ran = ready.check()
    assert ran.code == 0
    assert ran.err.splitlines() == [
        "An update that did not come to its end is taken back.",
        "  src/project/blue.py stays as it is: it was edited since",
        f"  {TRAINS} stays as it is: it was edited since",
    ]
    assert ready.check().err == ""
    assert "return 66" in ready.read(TRAINS)
    assert "return 77" in ready.read(TRAINS)
    assert ready.read("src/project/blue.py") == "mine\n"
    assert "steps: 100" in ready.read("scaffold.yaml")
    assert ready.path("src/project/red.py").exists()
    again = ready.update(*UPDATE)
    assert again.conflicts() == ["src/project/blue.py"]
    assert "return 66" in ready.read(TRAINS)


PROGRAM = """
import pathlib, sys
from scaffold import catalogue, cli
catalogue.default_roots = lambda: (pathlib.Path(sys.argv[1]),)
sys.exit(cli.main(["update", *sys.argv[2:]]))
"""


@pytest.mark.parametrize("wait", [0.0, 0.001, 0.003, 0.01])
def test_a_killed_process(ready: Box, wait: float) -> None:
    old = ready.state()
    command = [sys.executable, "-c", PROGRAM, str(ready.templates), str(ready.project), *UPDATE]
    source = str(Path(transaction.__file__).parents[1])
    process = subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": source}, stdout=subprocess.DEVNULL
    )
    end = time.monotonic() + 60
    while not ready.path(transaction.ACTIVE).exists() and process.poll() is None:
        assert time.monotonic() < end
    time.sleep(wait)
    process.kill()
    process.wait()
    assert ready.check().code == 0
    if ready.state() != old:
        assert "steps: 9" in ready.read("scaffold.yaml")
    assert ready.update(*UPDATE).code == 0
    state = ready.state()
    assert "return 77" in ready.read(TRAINS)
    assert state["src/project/blue.py"] == ready.fresh(*NEW)["src/project/blue.py"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_takes_everything_back(
    ready: Box, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    old = ready.state()
    original = os.replace
    calls = 0

    def fail(source: Path, target: Path) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise error
        original(source, target)

    monkeypatch.setattr(os, "replace", fail)
    ran = ready.run("update", str(ready.project), *UPDATE)
    assert ran.code == (130 if isinstance(error, KeyboardInterrupt) else 2)
    assert "nothing is written" in ran.err or "nothing was changed" in ran.err
    assert ready.state() == old
    assert not ready.path(transaction.ACTIVE).exists()


def test_a_file_that_is_edited_meanwhile_is_not_overwritten(
    ready: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = transaction._prepare

    def meanwhile(
        folder: Path,
        steps: Sequence[Step],
        records: Sequence[Record],
        *,
        is_undo: bool,
    ) -> None:
        original(folder, steps, records, is_undo=is_undo)
        ready.write("README.md", "mine\n")

    monkeypatch.setattr(transaction, "_prepare", meanwhile)
    before = {name: file for name, file in ready.state().items() if name != "README.md"}
    ran = ready.update(*UPDATE)
    assert ran.code == 2
    assert "README.md was changed in the meantime" in ran.out
    after = ready.state()
    assert after.pop("README.md")[0] == b"mine\n"
    assert after == before


@pytest.mark.parametrize("error", [OSError(13, "Permission denied"), KeyboardInterrupt()])
def test_what_cannot_be_cleared_up_does_not_undo_the_update(
    ready: Box, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    assert ready.update("--set", "size.width=10").code == 0

    def fail(*_: object, **__: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(transaction, "_settle_undo", fail)
        steps = [Step("README.md", read_file(ready.path("README.md")), None)]
        if isinstance(error, OSError):
            apply(ready.project, steps)
        else:
            with pytest.raises(KeyboardInterrupt) as caught:
                apply(ready.project, steps)
            assert caught.value.__notes__ == ["the change is made."]
    assert not ready.path("README.md").exists()
    assert ready.update("--undo").json == {"undone": ["README.md"]}
    assert ready.path("README.md").exists()
    assert not ready.path(transaction.EARLIER).exists()
