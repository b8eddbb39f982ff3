"""Writing: whole or not at all, whatever the folder is and however the run ends."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scaffold import staging, write
from scaffold.destination import find_destination
from scaffold.errors import DestinationError
from scaffold.render import RenderedFile, Tree
from scaffold.write import write_project

TREE: Tree = {
    ".gitignore": RenderedFile(b"runs/\n", 0o644),
    "README.md": RenderedFile("# Ü\n".encode(), 0o644),
    "launch/go.sh": RenderedFile(b"#!/bin/sh\n", 0o755),
    "src/real_name/__init__.py": RenderedFile(b"", 0o644),
    "src/real_name/model/attention.py": RenderedFile(bytes(range(256)) * 100, 0o644),
}
FOLDERS = ["launch", "src", "src/real_name", "src/real_name/model"]


def files_in(folder: Path) -> dict[str, bytes]:
    """Everything in a folder by relative path; folders as empty texts with a slash."""
    return {
        str(path.relative_to(folder)) + ("/" if path.is_dir() else ""): b""
        if path.is_dir()
        else path.read_bytes()
        for path in folder.rglob("*")
    }


WHOLE = {path: file.content for path, file in TREE.items()} | {f"{name}/": b"" for name in FOLDERS}


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.parametrize(
    "name",
    ["project", "a b", "日本 ü", "-rf", "--", "deep/er/still", ".hidden", "x" * 255, "trailing/"],
)
def test_writes_a_new_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert write_project(TREE, Path(name)) == tmp_path / name
    assert files_in(tmp_path / name) == WHOLE
    assert sorted(os.listdir(tmp_path)) == [name.split("/", maxsplit=1)[0]]


@pytest.mark.parametrize("umask", [0o022, 0o002, 0o077])
def test_modes_follow_the_umask_and_keep_the_executable_bit(tmp_path: Path, umask: int) -> None:
    os.umask(umask)
    write_project(TREE, tmp_path / "new")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "mine").touch()
    write_project(TREE, tmp_path / "old", force=True)
    for folder in (tmp_path / "new", tmp_path / "old"):
        modes = [stat.S_IMODE((folder / name).stat().st_mode) for name in TREE]
        assert modes == [0o666 & ~umask] * 2 + [0o777 & ~umask] + [0o666 & ~umask] * 2
        assert stat.S_IMODE((folder / "src").stat().st_mode) == 0o777 & ~umask
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o777 & ~umask


def test_fills_an_empty_folder_and_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir(mode=0o700)
    write_project(TREE, tmp_path / "project")
    assert files_in(tmp_path / "project") == WHOLE
    assert stat.S_IMODE((tmp_path / "project").stat().st_mode) == 0o700


def test_fills_the_folder_that_one_stands_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    inode = tmp_path.stat().st_ino
    write_project(TREE, Path("."))
    assert files_in(tmp_path) == WHOLE
    # The shell that called us still stands in it.
    assert tmp_path.stat().st_ino == inode


def test_refuses_a_folder_with_files(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(DestinationError, match="is not empty; .*--force"):
        write_project(TREE, tmp_path)
    assert files_in(tmp_path) == {"mine": b"x"}


def test_follows_a_link_to_a_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert write_project(TREE, tmp_path / "link") == tmp_path / "real"
    assert (tmp_path / "link").is_symlink()
    assert files_in(tmp_path / "real") == WHOLE
    assert write_project(TREE, tmp_path / "link" / "below", force=True) == tmp_path / "real/below"


def test_refuses_what_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "to_file").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    before = sorted(os.listdir(tmp_path))
    for name, message in {
        "file": "is a file",
        "file/": "is a file",
        "to_file": "is a file",
        "dangling": "is a link to .*nowhere, which does not exist",
        "loop": "is a link to",
        "file/below": "cannot be made: .*file is no folder",
        "file/below/more": "cannot be made: .*file is no folder",
        "x" * 300: "cannot be written: File name too long; nothing was changed",
        "null\0byte": "is no path",
    }.items():
        for force in (False, True):
            with pytest.raises(DestinationError, match=message):
                write_project(TREE, tmp_path / name, force=force)
    assert sorted(os.listdir(tmp_path)) == before


def test_refuses_a_parent_that_cannot_be_written() -> None:
    with pytest.raises(DestinationError, match="cannot be written: .*nothing was changed"):
        write_project(TREE, Path("/proc/project"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_refuses_a_parent_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(DestinationError, match="Permission denied; nothing was changed"):
        write_project(TREE, tmp_path / "project")


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", ".git/hooks/post-commit", "a\\b", ""])
def test_refuses_a_tree_that_leaves_the_project(tmp_path: Path, path: str) -> None:
    with pytest.raises(DestinationError, match="no path that a project may have"):
        write_project({path: RenderedFile(b"", 0o644)}, tmp_path / "project")
    assert os.listdir(tmp_path) == []


def test_force_adds_beside_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "mine.py").write_text("mine")
    (tmp_path / "README.md").write_bytes(TREE["README.md"].content)
    inode = (tmp_path / "README.md").stat().st_ino
    write_project(TREE, tmp_path, force=True)
    assert files_in(tmp_path) == WHOLE | {"src/mine.py": b"mine"}
    assert (tmp_path / "README.md").stat().st_ino == inode
    write_project(TREE, tmp_path, force=True)
    assert files_in(tmp_path) == WHOLE | {"src/mine.py": b"mine"}


def test_force_names_all_that_is_in_the_way_and_writes_nothing(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    project = tmp_path / "project"
    outside.mkdir()
    (project / "src").mkdir(parents=True)
    (project / "README.md").write_text("mine")
    (project / "launch").symlink_to(outside)
    (project / "src/real_name").write_text("a file")
    (project / ".gitignore").mkdir()
    before = files_in(project)
    with pytest.raises(DestinationError) as caught:
        write_project(TREE, project, force=True)
    assert str(caught.value).splitlines()[1:] == [
        "  .gitignore",
        "  README.md",
        "  launch",
        "  src/real_name",
    ]
    assert files_in(project) == before
    assert os.listdir(outside) == []


def test_a_link_in_the_way_is_never_followed(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "README.md").write_bytes(TREE["README.md"].content)
    (project / "README.md").symlink_to(tmp_path / "README.md")
    with pytest.raises(DestinationError, match="README.md"):
        write_project(TREE, project, force=True)


@pytest.mark.parametrize("count", range(6))
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_force_takes_everything_back_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, error: BaseException
) -> None:
    (tmp_path / "mine").write_text("mine")
    calls = 0

    def fail(source: Path, target: Path) -> None:
        nonlocal calls
        calls += 1
        if calls > count:
            raise error
        os.rename(source, target)

    monkeypatch.setattr(write, "_place", fail)
    if count == len(TREE):
        write_project(TREE, tmp_path, force=True)
        assert files_in(tmp_path) == WHOLE | {"mine": b"mine"}
        return
    with pytest.raises(KeyboardInterrupt if calls else BaseException):
        write_project(TREE, tmp_path, force=True)
    assert files_in(tmp_path) == {"mine": b"mine"}


def test_what_cannot_be_taken_back_is_left_to_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").write_text("mine")

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(write, "commit", fail)
        patch.setattr(write, "roll_back", fail)
        with pytest.raises(DestinationError, match="Input/output error; the next run removes it"):
            write_project(TREE, tmp_path, force=True)
    assert (tmp_path / "README.md").exists()
    staging.clear_stale(tmp_path)
    assert files_in(tmp_path) == {"mine": b"mine"}


def test_two_runs_do_not_take_back_the_files_of_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").write_text("mine")
    record = staging.write_journal

    def meanwhile(folder: Path, journal: staging.Journal) -> None:
        record(folder, journal)
        with pytest.raises(DestinationError, match="another scaffold command is writing to"):
            write_project(TREE, tmp_path, force=True)

    monkeypatch.setattr(write, "write_journal", meanwhile)
    write_project(TREE, tmp_path, force=True)
    assert files_in(tmp_path) == WHOLE | {"mine": b"mine"}


def test_a_folder_that_may_not_be_written_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    inode = project.stat().st_ino
    # Root may do everything, and runs the tests in a container: only the question is answered so.
    monkeypatch.setattr(os, "access", lambda path, _: path != project)
    write_project(TREE, project)
    assert project.stat().st_ino == inode


def test_a_path_that_the_system_refuses_is_an_error(tmp_path: Path) -> None:
    for name in ("x" * 256, "x/" * 3000):
        with pytest.raises(DestinationError, match="name too long"):
            find_destination(tmp_path / name)


def test_a_folder_that_hands_down_its_group_stays(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    project.chmod(0o2775)
    inode = project.stat().st_ino
    write_project(TREE, project)
    assert files_in(project) == WHOLE
    assert project.stat().st_ino == inode


def test_a_file_that_appears_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").write_text("mine")
    record = staging.write_journal

    def appear(folder: Path, journal: staging.Journal) -> None:
        record(folder, journal)
        (tmp_path / "README.md").write_text("theirs")

    monkeypatch.setattr(write, "write_journal", appear)
    with pytest.raises(DestinationError, match="File exists"):
        write_project(TREE, tmp_path, force=True)
    assert files_in(tmp_path) == {"mine": b"mine", "README.md": b"theirs"}


def test_a_folder_that_appears_meanwhile_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = write._write_files

    def appear(tree: Tree, folder: Path) -> None:
        written(tree, folder)
        (tmp_path / "project").mkdir()
        (tmp_path / "project" / "theirs").touch()

    monkeypatch.setattr(write, "_write_files", appear)
    with pytest.raises(DestinationError, match="not empty"):
        write_project(TREE, tmp_path / "project")
    assert files_in(tmp_path) == {"project/": b"", "project/theirs": b""}


def test_works_where_the_file_system_has_no_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: Path, target: Path) -> None:
        raise PermissionError(1, f"no links: {source} {target}")

    monkeypatch.setattr(os, "link", refuse)
    (tmp_path / "mine").write_text("mine")
    write_project(TREE, tmp_path, force=True)
    assert files_in(tmp_path) == WHOLE | {"mine": b"mine"}


PROGRAM = """
import pathlib, sys, time
from test_write import TREE
from scaffold import write
path, step, force = sys.argv[1:]
calls = 0
def stop(*arguments):
    global calls
    calls += 1
    if calls == 2:
        print("reached", flush=True)
        time.sleep(60)
    return original(*arguments)
owner, _, name = step.rpartition(".")
original = getattr({"": write, "os": write.os}[owner], name)
setattr({"": write, "os": write.os}[owner], name, stop)
write.write_project(TREE, pathlib.Path(path), force=force == "force")
"""


def killed_run(path: Path, step: str, force: bool) -> None:
    """Runs a write in another process, and kills it at the second call of ``step``."""
    folders = [Path(__file__).parent, Path(__file__).parents[2] / "src"]
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path), step, "force" if force else ""],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"reached\n"
    # While it lives, another run leaves its files alone.
    before = sorted(os.listdir(path.parent))
    staging.clear_stale(path.parent)
    staging.clear_stale(path)
    assert sorted(os.listdir(path.parent)) == before
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()


def test_a_killed_run_leaves_no_project_and_the_next_one_clears_up(tmp_path: Path) -> None:
    killed_run(tmp_path / "project", "os.open", force=False)
    assert not (tmp_path / "project").exists()
    assert len(os.listdir(tmp_path)) == 1
    write_project(TREE, tmp_path / "project")
    assert files_in(tmp_path / "project") == WHOLE
    assert os.listdir(tmp_path) == ["project"]


def test_a_killed_forced_run_is_taken_back_by_the_next_one(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "mine").write_text("mine")
    killed_run(project, "_place", force=True)
    assert (project / ".gitignore").exists()
    with pytest.raises(DestinationError, match="not empty"):
        write_project(TREE, project)
    assert files_in(project) == {"mine": b"mine"}


def test_what_was_changed_after_a_kill_is_kept(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "mine").write_text("mine")
    killed_run(project, "_place", force=True)
    (project / ".gitignore").write_text("edited")
    (project / "src" / "new.py").write_text("new")
    staging.clear_stale(project)
    assert files_in(project) == {
        "mine": b"mine",
        ".gitignore": b"edited",
        "src/": b"",
        "src/new.py": b"new",
    }


def stale_folder(parent: Path, **files: bytes) -> Path:
    folder = parent / f"{staging.PREFIX}{'0' * 12}"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def test_an_empty_staging_folder_goes_when_it_is_old(tmp_path: Path) -> None:
    folder = stale_folder(tmp_path)
    staging.clear_stale(tmp_path)
    assert folder.exists()
    os.utime(folder, (0, time.time() - 100))
    staging.clear_stale(tmp_path)
    assert not folder.exists()


def test_a_run_killed_before_it_signed_is_cleared(tmp_path: Path) -> None:
    folder = stale_folder(tmp_path, owner=b"")
    staging.clear_stale(tmp_path)
    assert not folder.exists()


def test_folders_of_others_are_never_touched(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    stale_folder(elsewhere, owner=staging.SIGNATURE, work=b"x")
    signed = tmp_path / f"{staging.PREFIX}mine"
    signed.mkdir()
    (signed / "owner").write_bytes(staging.SIGNATURE)
    other = tmp_path / f"{staging.PREFIX}{'1' * 12}"
    other.mkdir()
    (other / "owner").write_text("somebody else")
    link = tmp_path / f"{staging.PREFIX}{'2' * 12}"
    link.symlink_to(signed)
    before = files_in(tmp_path)
    staging.clear_stale(tmp_path)
    staging.clear_stale(elsewhere)
    staging.clear_stale(tmp_path / "missing")
    assert files_in(tmp_path) == before


@pytest.mark.parametrize(
    "journal",
    [
        b'{"files": {"../victim": "%s"}, "folders": []}',
        b'{"files": {}, "folders": ["../victims"]}',
        b'{"files": {"/victim": "%s"}, "folders": []}',
        b'{"files": 3}',
        b"not json",
    ],
)
def test_a_forged_journal_deletes_nothing(tmp_path: Path, journal: bytes) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "victims").mkdir()
    (tmp_path / "victim").touch()
    empty = b"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    stale_folder(project, owner=staging.SIGNATURE, journal=journal.replace(b"%s", empty))
    staging.clear_stale(project)
    assert (tmp_path / "victim").exists()
    assert (tmp_path / "victims").exists()


def mounted(folder: Path, size: str) -> bool:
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        return False
    options = ["-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    return subprocess.run([mount, *options], capture_output=True, check=False).returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    if not mounted(folder, "64k"):
        pytest.skip("mounting a small file system needs root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("kilobytes", [20, 40, 100])
def test_a_full_disk_leaves_nothing_behind(small_disk: Path, kilobytes: int) -> None:
    large: Tree = {
        **{f"src/file{index}": RenderedFile(b"x" * 8192, 0o644) for index in range(3)},
        "src/large": RenderedFile(b"x" * 1024 * kilobytes, 0o644),
    }
    if kilobytes == 20:
        write_project(large, small_disk / "fits")
        shutil.rmtree(small_disk / "fits")
        return
    with pytest.raises(DestinationError, match="No space left on device; nothing was changed"):
        write_project(large, small_disk / "a" / "project")
    assert os.listdir(small_disk) == []
    with pytest.raises(DestinationError, match="No space left on device; nothing was changed"):
        write_project(large, small_disk)
    assert os.listdir(small_disk) == []
    (small_disk / "mine").write_text("mine")
    with pytest.raises(DestinationError, match="No space left on device; nothing was changed"):
        write_project(large, small_disk, force=True)
    assert files_in(small_disk) == {"mine": b"mine"}


def test_a_disk_that_is_full_from_the_start(small_disk: Path) -> None:
    (small_disk / "mine").write_bytes(b"x" * 65536)
    for path, force in ((small_disk / "project", False), (small_disk, True)):
        with pytest.raises(DestinationError, match="No space left on device"):
            write_project(TREE, path, force=force)
        assert os.listdir(small_disk) == ["mine"]


def test_fills_the_root_of_a_mounted_disk(small_disk: Path) -> None:
    write_project(TREE, small_disk)
    assert files_in(small_disk) == WHOLE


NAMES = st.sampled_from(["a", "b", "c d", "é"])
TREES = st.dictionaries(
    st.lists(NAMES, min_size=1, max_size=3).map("/".join),
    st.builds(RenderedFile, st.binary(max_size=3), st.just(0o644)),
    min_size=1,
    max_size=5,
)


def fits(tree: Tree) -> bool:
    """Whether no file of the tree is also a folder of it."""
    return not any(other.startswith(f"{name}/") for name in tree for other in tree)


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(TREES.filter(fits), TREES.filter(fits))
def test_force_never_changes_what_is_there(
    tmp_path_factory: pytest.TempPathFactory, first: Tree, second: Tree
) -> None:
    project = tmp_path_factory.mktemp("force") / "project"
    write_project(first, project)
    before = files_in(project)
    try:
        write_project(second, project, force=True)
    except DestinationError:
        assert files_in(project) == before
    else:
        after = files_in(project)
        assert {name: after[name] for name in before} == before
        assert all(after[name] == file.content for name, file in second.items())
