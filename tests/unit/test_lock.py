"""The lock and the base archive: reproducible, free of the machine, and checked when read."""

import bz2
import dataclasses
import hashlib
import io
import re
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from synthetic import DECISIONS, ESTIMATES, FILES, make_design, plan_of, write_templates

from scaffold.base import BaseError, base_archive, is_safe, read_base
from scaffold.catalogue import read_catalogue
from scaffold.design_file import design_text
from scaffold.lock import (
    LOCKED,
    Lock,
    LockError,
    PackRecord,
    lock_text,
    make_lock,
    read_lock,
    record,
    seal,
)
from scaffold.plan import make_plan
from scaffold.records import BASE_PATH, DESIGN_PATH, LOCK_PATH
from scaffold.render import RenderedFile, Tree, render

PACK = PackRecord("github.com/team/pack", "1e5", "0" * 64)


def sealed(root: Path) -> Tree:
    catalogue = read_catalogue(write_templates(root))
    plan = make_plan(catalogue, make_design(catalogue), DECISIONS, ESTIMATES)
    return seal(catalogue, plan, render(plan), [PACK])


def lock_of(root: Path) -> Lock:
    return read_lock(sealed(root)[LOCK_PATH].content.decode())


def test_scaffold_yaml_shows_the_design(tmp_path: Path) -> None:
    assert (
        sealed(tmp_path)[DESIGN_PATH].content.decode()
        == """\
# The design of this project: change a value, and `scaffold update` applies it.
project:
  name: "Real name"  # for people and for pip
  package: real_name  # for `import`
  description: "A test."

# How large?
size:
  variant: small

# Which color?
color:
  variant: red  # or blue
  shade: 3  # how dark
  rate: 1.0e-05  # how fast it fades
"""
    )


def test_scaffold_yaml_names_only_variants_that_fit(tmp_path: Path) -> None:
    blue = "parts/color/blue/part.yaml"
    other = "title: T\nhelp: T\norder: 2\n"
    changes: dict[str, str | None] = {
        blue: FILES[blue] + "conflicts: {size: [small]}\n",
        "parts/size/tiny/part.yaml": other + "requires: {color: [blue]}\n",
        "parts/size/large/part.yaml": other + "requires: {color: [red]}\n",
    }
    catalogue = read_catalogue(write_templates(tmp_path, changes))
    plan = make_plan(catalogue, make_design(catalogue), DECISIONS, ESTIMATES)
    text = design_text(plan)
    assert "  variant: small  # or large\n" in text
    assert "  variant: red\n" in text


def test_a_long_help_stands_above_its_value(tmp_path: Path) -> None:
    part = "parts/size/small/part.yaml"
    long = "much to say about " * 8
    text = (
        f"title: S\nhelp: S\norder: 1\noptions: {{x: {{type: int, default: 1, help: '{long}'}}}}\n"
    )
    catalogue = read_catalogue(write_templates(tmp_path, {part: text}))
    plan = make_plan(catalogue, make_design(catalogue), DECISIONS, ESTIMATES)
    lines = seal(catalogue, plan, render(plan))[DESIGN_PATH].content.decode().splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[lines.index("  x: 1") - 1].startswith("  # ")


def test_the_lock_reads_back(tmp_path: Path) -> None:
    catalogue = read_catalogue(write_templates(tmp_path))
    plan = make_plan(catalogue, make_design(catalogue), DECISIONS, ESTIMATES)
    lock = make_lock(catalogue, plan, render(plan), [PACK])
    decisions = tuple(dataclasses.replace(item, origin=LOCKED) for item in lock.decisions)
    assert read_lock(lock_text(lock)) == dataclasses.replace(lock, decisions=decisions)
    assert lock.catalogue == catalogue.digest
    assert lock.at_default == ("size", "color", "color.shade", "color.rate")


def test_a_value_that_was_chosen_is_not_at_its_default(tmp_path: Path) -> None:
    catalogue = read_catalogue(write_templates(tmp_path))
    plan = make_plan(catalogue, make_design(catalogue, color="blue"), DECISIONS, ESTIMATES)
    assert make_lock(catalogue, plan, render(plan)).at_default == ("size",)


def test_the_lock_records_every_file_of_the_base(tmp_path: Path) -> None:
    tree = sealed(tmp_path)
    base = read_base(tree[BASE_PATH].content)
    assert base == {path: tree[path] for path in tree if path not in (LOCK_PATH, BASE_PATH)}
    assert DESIGN_PATH in base
    lock = lock_of(tmp_path)
    assert lock.files == {path: record(file) for path, file in base.items()}
    assert lock.files["launch/go.sh"].mode == 0o755
    content = tree["README.md"].content
    assert lock.files["README.md"].sha256 == hashlib.sha256(content).hexdigest()


def test_nothing_depends_on_place_or_time(tmp_path: Path) -> None:
    first, second = sealed(tmp_path / "one"), sealed(tmp_path / "a b" / "two")
    assert first == second
    assert list(first) == sorted(first)
    for file in (first[LOCK_PATH], first[DESIGN_PATH]):
        assert str(tmp_path) not in file.content.decode()
    archive = tarfile.open(fileobj=io.BytesIO(bz2.decompress(first[BASE_PATH].content)))
    entries = list(archive)
    assert {(entry.mtime, entry.uid, entry.gid, entry.uname) for entry in entries} == {
        (0, 0, 0, "")
    }
    assert [entry.name for entry in entries] == sorted(entry.name for entry in entries)


def test_the_order_of_the_tree_does_not_matter(tmp_path: Path) -> None:
    tree = render(plan_of(tmp_path))
    assert base_archive(dict(reversed(list(tree.items())))) == base_archive(tree)


CHARACTERS = st.characters(codec="utf-8", exclude_characters='\\:<>"|?*/')
PIECE = st.text(CHARACTERS, min_size=1, max_size=9)
PATHS = st.lists(PIECE, min_size=1, max_size=4).map("/".join).filter(is_safe)
RENDERED = st.builds(RenderedFile, st.binary(max_size=40), st.sampled_from([0o644, 0o755]))


@given(st.dictionaries(PATHS, RENDERED, min_size=1, max_size=5))
def test_the_base_reads_back(tree: dict[str, RenderedFile]) -> None:
    assert read_base(base_archive(tree)) == tree


@given(st.binary(max_size=200))
def test_a_base_that_is_none(content: bytes) -> None:
    for damaged in (content, bz2.compress(content)):
        with pytest.raises(BaseError):
            read_base(damaged)


def test_a_base_cut_short(tmp_path: Path) -> None:
    content = sealed(tmp_path)[BASE_PATH].content
    for end in range(0, len(content), 50):
        with pytest.raises(BaseError):
            read_base(content[:end])


def archive(change: Callable[[tarfile.TarInfo], None], times: int = 1) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as file:
        for _ in range(times):
            entry = tarfile.TarInfo("a.txt")
            entry.mode = 0o644
            change(entry)
            file.addfile(entry)
    return bz2.compress(buffer.getvalue())


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", "../a"),
        ("name", "/etc/passwd"),
        ("name", "a/.git/config"),
        ("name", "a/../../b"),
        ("name", "C:/x"),
        ("type", tarfile.SYMTYPE),
        ("type", tarfile.DIRTYPE),
        ("type", tarfile.CHRTYPE),
        ("mode", 0o4755),
        ("mode", 0o600),
    ],
)
def test_a_base_that_was_tampered_with(key: str, value: object) -> None:
    with pytest.raises(BaseError):
        read_base(archive(lambda entry: setattr(entry, key, value)))


def test_a_base_with_a_path_twice() -> None:
    with pytest.raises(BaseError):
        read_base(archive(print, times=2))


def test_a_base_that_unpacks_to_too_much() -> None:
    with pytest.raises(BaseError, match="more than"):
        read_base(bz2.compress(bytes(257 * 2**20), 1))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format: 1", "format: 2", "written by a newer scaffold"),
        ("format: 1", "format: one", "format: must be a whole number"),
        ("format: 1\n", "", "format: is missing"),
        ("tool:", "tol:", "tool: is missing"),
        ("at_default:", "other: 1\nat_default:", "other: unknown key"),
        ("README.md:", "../x:", "'../x' is no path"),
        ("README.md:", '".git/x":', "'.git/x' is no path"),
        ('mode: "644"', 'mode: "666"', "'666' is no mode"),
        ('mode: "644"', "mode: rwx", "'rwx' is no mode"),
        ('mode: "644"', 'mode: "999"', "'999' is no mode"),
        ("    variant: red\n", "", "design.color.variant: is missing"),
        ("tool:", "<<<<<<< yours\ntool:", "not valid YAML|not a lock"),
    ],
)
def test_a_lock_that_was_edited(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = sealed(tmp_path)[LOCK_PATH].content.decode()
    assert old in text
    with pytest.raises(LockError, match=message if "|" in message else re.escape(message)):
        read_lock(text.replace(old, new))


@pytest.mark.parametrize("text", ["", "3", "[]", "a: [", "\0", "!!python/object:os.system {}"])
def test_a_lock_that_is_none(text: str) -> None:
    with pytest.raises(LockError):
        read_lock(text)


def test_the_lock_is_plain_yaml(tmp_path: Path) -> None:
    data = yaml.safe_load(sealed(tmp_path)[LOCK_PATH].content)
    assert data["design"]["color"] == {"variant": "red", "shade": 3, "rate": 1e-5}
    assert data["packs"] == {PACK.id: {"version": PACK.version, "digest": PACK.digest}}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a", True),
        ("a b/ü.txt", True),
        ("-rf", True),
        (".gitignore", True),
        ("", False),
        ("a//b", False),
        ("./a", False),
        ("a/..", False),
        ("/a", False),
        (".GIT/hooks", False),
        ("a\\b", False),
        ("a\nb", False),
        ("a.", False),
        ("nul:", False),
    ],
)
def test_which_paths_are_safe(path: str, expected: bool) -> None:
    assert is_safe(path) is expected
