"""Locks, bases and journals that are damaged, too new or made to do harm: one error, no change."""

import bz2
import io
import json
import os
import shutil
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from boxes import Box

from scaffold import git_merge
from scaffold.base import MOST_FILES, BaseError, base_archive, read_base
from scaffold.lock import lock_text, read_lock, record
from scaffold.render import RenderedFile
from scaffold.snapshot import MOST_BYTES, MOST_PAIRS, find_moved

LOCK = ".scaffold/lock.yaml"
BASE = ".scaffold/base.tar.bz2"


def refused(box: Box, message: str) -> None:
    """Asserts that both commands end with one error, and that nothing is written."""
    before = box.state()
    for ran in (box.update("--set", "size.steps=9"), box.update("--dry-run")):
        assert ran.code == 2
        problems = ran.json["problems"]
        assert len(problems) == 1
        assert message in problems[0]["rule"]
    assert box.check().code in (2, 0)  # it does not read the base
    assert box.state() == before


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format: 1", "format: 2", "written by a newer scaffold"),
        ("catalogue:", "<<<<<<< yours\ncatalogue:", "not a lock that can be read"),
        ("tool:", "tool: 2001-99-99\nother:", "not a lock that can be read"),
        ("  README.md:", "  ../README.md:", "is no path of a project's file"),
        ("  README.md:", "  /README.md:", "is no path of a project's file"),
        ("packs: {}", "packs: {x: {version: '1', digest: '2'}}", "the pack x has no reference"),
    ],
)
def test_a_lock_that_was_tampered_with(box: Box, old: str, new: str, message: str) -> None:
    box.new()
    box.replace(LOCK, old, new)
    refused(box, message)


BOMB = "a0: &a0 [x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 20)
)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a lock that can be read"),
        (b"\xff", "not UTF-8"),
        (b"[" * 100_000, "not a lock that can be read"),
        (b"a: " * 100_000, "not a lock that can be read"),
        (b"x: 1\n" * 3_000_000, "has more than"),
        (BOMB, "it has aliases"),
    ],
)
def test_a_lock_that_is_none(box: Box, content: bytes | str, message: str) -> None:
    box.new()
    box.write(LOCK, content)
    refused(box, message)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tool: ", 'tool: "9.9\\e[2J"\nx: '),
        ("catalogue:", 'conflicts: {README.md: "\\e[2J\\x9b2J"}\ncatalogue:'),
        ("design:", '"\\e[2J": 1\ndesign:'),
    ],
)
def test_what_a_lock_says_does_not_command_the_terminal(box: Box, old: str, new: str) -> None:
    box.new()
    box.replace(LOCK, old, new)
    box.set_templates({"data/new": "x"})
    for ran in (box.run("check", str(box.project)), box.run("update", str(box.project))):
        assert not {"\x1b", "\x9b"} & {*ran.out, *ran.err}


def test_what_files_hold_does_not_command_the_terminal(box: Box) -> None:
    box.set_templates({"data/x": "\x1b[2J\n"})
    box.new()
    box.set_templates({"data/x": "\x1b[3J\n"})
    words = ("update", str(box.project))
    assert "\\x1b[3J" in box.run(*words, "--dry-run").out
    assert "+\x1b[3J\n" in box.run(*words, "--diff").out  # a patch is what it is


def tar(
    name: str,
    kind: bytes = tarfile.REGTYPE,
    size: int = 0,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        entry = tarfile.TarInfo(name)
        entry.mode, entry.type, entry.linkname = 0o644, kind, "/etc/passwd"
        entry.size, entry.pax_headers = size, dict(headers)
        archive.addfile(entry, io.BytesIO(bytes(size)))
    return bz2.compress(buffer.getvalue())


def many(count: int) -> bytes:
    """An archive of so many small files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for number in range(count):
            archive.addfile(tarfile.TarInfo(str(number)))
    return bz2.compress(buffer.getvalue())


SPARSE = {"GNU.sparse.size": str(2**50), "GNU.sparse.numblocks": "0", "GNU.sparse.map": "0,1"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "damaged"),
        (b"not an archive", "damaged"),
        (tar("../x"), "holds the path"),
        (tar("/x"), "holds the path"),
        (tar(".git/hooks/post-checkout"), "holds the path"),
        (tar("x", tarfile.SYMTYPE), "no ordinary file"),
        (tar("x", tarfile.LNKTYPE), "no ordinary file"),
        (tar("x", tarfile.CHRTYPE), "no ordinary file"),
        (tar("x", tarfile.FIFOTYPE), "no ordinary file"),
        (tar("x", size=10, headers=SPARSE), "no ordinary file"),
        (bz2.compress(bytes(300 * 2**20)), "more than"),
        (many(MOST_FILES + 1), f"more than {MOST_FILES} files"),
        (tar("x"), "not of the same update"),
    ],
)
def test_a_base_that_was_tampered_with(box: Box, content: bytes, message: str) -> None:
    box.new()
    box.write(BASE, content)
    refused(box, message)


def test_what_could_not_be_read_back_is_not_written() -> None:
    with pytest.raises(BaseError, match="would have more than"):
        base_archive({str(number): RenderedFile(b"", 0o644) for number in range(MOST_FILES + 1)})


@pytest.mark.parametrize("line", ["# x\n", "a: x\n"])
def test_a_design_without_end(box: Box, line: str) -> None:
    box.new()
    box.write("scaffold.yaml", box.read("scaffold.yaml") + line * 200_000)
    refused(box, "scaffold.yaml has more than 262144 bytes")


def test_a_design_with_values_without_end(box: Box) -> None:
    box.new()
    values = "".join(f"a{number}: 1\n" for number in range(3000))
    box.write("scaffold.yaml", box.read("scaffold.yaml") + values)
    refused(box, "holds more than 2000 values")


def test_looking_for_moved_files_has_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    def alike(*_: object) -> float:
        nonlocal calls
        calls += 1
        return 0.0

    monkeypatch.setattr("scaffold.snapshot._likeness", alike)
    missing = {f"{number}.py": RenderedFile(b"x\n", 0o644) for number in range(5000)}
    for number in range(100):
        (tmp_path / f"a{number}.py").write_text("y\n")
    assert find_moved(tmp_path, missing, missing) == {}
    assert 1000 < calls <= MOST_PAIRS


def test_large_files_are_not_read_to_find_moved_ones(tmp_path: Path) -> None:
    content = bytes(MOST_BYTES // 2)
    for name in ("a", "b", "c"):
        (tmp_path / name).write_bytes(content)
    missing = {name: RenderedFile(content, 0o644) for name in ("x", "y", "z")}
    assert len(find_moved(tmp_path, missing, missing)) == 2


def test_a_file_that_no_memory_holds(box: Box) -> None:
    box.new()
    with box.path("README.md").open("wb") as file:
        file.truncate(2**31)
    for ran in (box.update("--set", "size.steps=9"), box.check()):
        assert ran.code == 2
        assert "README.md has more than" in ran.out


@pytest.mark.parametrize("name", [LOCK, ".scaffold/undo/journal.json"])
def test_a_base_with_a_file_of_the_tool(box: Box, name: str) -> None:
    box.new()
    base = {**read_base(box.path(BASE).read_bytes()), name: RenderedFile(b"", 0o644)}
    box.write(BASE, base_archive(base))
    files = {path: record(file) for path, file in base.items()}
    box.write(LOCK, lock_text(replace(read_lock(box.read(LOCK)), files=files)))
    refused(box, "no file of a project")


def test_a_base_with_a_file_that_is_also_a_folder(box: Box) -> None:
    box.new()
    base = dict(read_base(box.path(BASE).read_bytes()))
    file = RenderedFile(b"", 0o644)
    box.write(BASE, base_archive({**base, "README.md/x": file}))
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    entry = f'  README.md/x:\n    sha256: {empty}\n    mode: "644"\n'
    box.replace(LOCK, "  README.md:", f"{entry}  README.md:")
    refused(box, "both a file and a folder")


@pytest.mark.parametrize("content", [None, b"\xff", b"a: [", b"a: *b\n", b"#\n" * 2**18])
def test_a_base_whose_design_is_none(box: Box, content: bytes | None) -> None:
    box.new()
    base = dict(read_base(box.path(BASE).read_bytes()))
    lock = read_lock(box.read(LOCK))
    base.pop("scaffold.yaml")
    if content is not None:
        base["scaffold.yaml"] = RenderedFile(content, 0o644)
    box.write(BASE, base_archive(base))
    files = {path: record(file) for path, file in base.items()}
    box.write(LOCK, lock_text(replace(lock, files=files)))
    refused(box, "holds no scaffold.yaml that can be read")


@pytest.mark.parametrize("name", [LOCK, BASE, "scaffold.yaml"])
@pytest.mark.parametrize("kind", ["missing", "link", "folder", "pipe"])
def test_a_file_of_the_tool_that_is_none(box: Box, name: str, kind: str) -> None:
    box.new()
    other = box.path("other")
    box.path(name).rename(other)
    if kind == "link":
        box.path(name).symlink_to(other)
    elif kind == "folder":
        box.path(name).mkdir()
    elif kind == "pipe":
        os.mkfifo(box.path(name))
    assert box.check().code == (0 if (name, kind) == (BASE, "link") else 2)
    message = {"missing": "no " if name == LOCK else "is missing", "link": "is a link"}
    refused(box, message.get(kind, "no ordinary file"))


def test_a_scaffold_folder_that_is_a_link(box: Box, tmp_path: Path) -> None:
    box.new()
    box.path(".scaffold").rename(tmp_path / "outside")
    box.path(".scaffold").symlink_to(tmp_path / "outside")
    assert box.update("--set", "size.steps=9").code == 2
    assert box.check().code == 2


@pytest.mark.parametrize("words", [["update"], ["check"], ["update", "--undo"]])
def test_a_folder_that_is_no_project(box: Box, words: list[str], tmp_path: Path) -> None:
    for place in (tmp_path / "nowhere", tmp_path):
        ran = box.run(words[0], str(place), *words[1:], "--json")
        assert ran.code == 2
        assert len(ran.json["problems"]) == 1


@pytest.mark.parametrize(
    "spoil",
    [
        lambda steps: steps[0].update(path="../outside"),
        lambda steps: steps[0].update(path="/outside"),
        lambda steps: steps[0].update(path=".git/hooks/post-checkout"),
        lambda steps: steps[0].update(path="way/out"),
        lambda steps: steps[0].update(folders=["../outside"]),
        lambda steps: steps[0].update(before="x"),
        lambda steps: steps[0].pop("after"),
    ],
)
@pytest.mark.parametrize("place", ["undo", "transaction"])
def test_a_journal_that_was_tampered_with(
    box: Box, place: str, spoil: Callable[[list[dict[str, object]]], None], tmp_path: Path
) -> None:
    box.new()
    (tmp_path / "outside").mkdir()
    box.path("way").symlink_to(tmp_path / "outside")
    assert box.update("--set", "size.steps=9").code == 0
    journal = box.path(f".scaffold/{place}/journal.json")
    if place == "transaction":
        shutil.copytree(box.path(".scaffold/undo"), journal.parent)
    data = json.loads(journal.read_text())
    spoil(data["steps"])
    journal.write_text(json.dumps(data))
    before = box.state()
    ran = box.update("--undo")
    assert ran.code == 2
    assert "journal.json" in ran.json["problems"][0]["rule"]
    assert box.state() == before
    assert os.listdir(tmp_path / "outside") == []


def test_a_kept_file_that_was_tampered_with(box: Box) -> None:
    box.new()
    assert box.update("--set", "size.steps=9").code == 0
    for path in box.path(".scaffold/undo/old").iterdir():
        path.write_text("forged")
    before = box.state()
    assert box.update("--undo").code == 2
    assert box.state() == before


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo git version 2.37.9", "git 2.38 or newer is needed to merge"),
        ("echo something else", "git 2.38 or newer is needed to merge"),
        ('[ "$*" != "${*%version}" ] && echo git version 2.99 || exit 1', "git init failed"),
        (None, "git is needed to merge"),
    ],
)
def test_a_git_that_will_not_do(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, message: str
) -> None:
    box.new()
    (tmp_path / "bin").mkdir()
    if script is not None:
        (tmp_path / "bin" / "git").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / "git").chmod(0o755)
    before = box.state()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    ran = box.update("--set", "size.steps=9")
    assert ran.code == 2
    assert message in ran.json["problems"][0]["rule"]
    assert box.state() == before
    assert box.update().code == 0  # there is nothing to merge
    assert git_merge.OLDEST == (2, 38)


def test_an_older_tool_does_not_go_back(box: Box) -> None:
    box.new()
    text = box.read(LOCK)
    version = next(line for line in text.splitlines() if line.startswith("tool:"))
    box.write(LOCK, text.replace(version, 'tool: "99.0.0"'))
    assert box.check().code == 0
    box.set_templates({"data/logo.bin": b"older"})
    assert "older" in box.check().out
    before = box.state()
    ran = box.update("--set", "size.steps=9")
    assert ran.code == 2
    assert "99.0.0" in ran.json["problems"][0]["rule"]
    assert box.state() == before
