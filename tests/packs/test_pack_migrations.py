"""A newer pack, or a newer tool below it, calls things by other names."""

from pathlib import Path

import pytest
from boxes import FILES, STORY, Box
from making import write_pack
from migrating import REASON, RENAMED_AXIS, SPLIT_AXIS, migrations, rewritten

BADGE = {
    "parts/badge/axis.yaml": "title: Badge\nquestion: Whose is it?\norder: 50\n",
    "parts/badge/plain/part.yaml": "title: plain\nhelp: Nobody's.\norder: 10\n",
    "parts/badge/team/part.yaml": "title: the team\nhelp: Ours.\norder: 20\noptions:\n"
    "  size: {type: int, default: 3, ask: true, help: how large}\n",
    "parts/badge/team/files/OWNERS.py": f'"""Owners."""\n\n\n{STORY}\n',
    "presets/ours.yaml": "preset: {title: ours, help: ours}\nbadge: {variant: team, size: 4}\n",
}
NEWER = {path.replace("badge", "label"): text for path, text in BADGE.items()} | {
    "parts/label/team/part.yaml": BADGE["parts/badge/team/part.yaml"].replace("size:", "extent:"),
    "presets/ours.yaml": BADGE["presets/ours.yaml"],  # which nobody thought of
    "migrations.yaml": migrations(
        {"rename": "badge", "to": "label"}, {"rename": "label.size", "to": "label.extent"}
    ),
}
LOCK = ".scaffold/lock.yaml"
DESIGN = "scaffold.yaml"


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return write_pack(tmp_path / "acme", BADGE)


def renew(pack: Path, files: dict[str, str], tool: str = "") -> None:
    """The pack becomes another one."""
    pack.rename(pack.with_name(f"before{len(list(pack.parent.iterdir()))}"))
    write_pack(pack, dict(files), more=tool)


def test_a_newer_pack_renames_its_axis(box: Box, pack: Path) -> None:
    words = ["--defaults", "--pack", str(pack), "--set", "badge=team", "--set", "badge.size=7"]
    assert box.run("new", str(box.project), *words).code == 0
    assert "migrations" not in box.read(LOCK)
    box.replace(DESIGN, "  size: 7  # how large", "  # Ours.\n  size: 8  # ask Ada")
    box.replace("OWNERS.py", "return 7", "return 77")
    edited = box.state()
    renew(pack, NEWER)
    assert box.found() == {
        "0.1.0": "template",
        "acme 1": "migration",
        "acme 2": "migration",
        "OWNERS.py": "edited",
        "label.extent": "design",
    }
    ran = box.update()
    assert (ran.code, ran.conflicts()) == (0, [])
    assert {(item["tree"], item["version"]) for item in ran.json["migrations"]} == {
        ("acme", 1),
        ("acme", 2),
    }
    assert {item["key"]: item["after"] for item in ran.json["design"]} == {"label.extent": 8}
    text = "\nlabel:\n  variant: team  # or plain\n  # Ours.\n  extent: 8  # ask Ada\n"
    assert text in box.read(DESIGN)
    assert "return 77" in box.read("OWNERS.py")
    assert "    migrations: 2\n" in box.read(LOCK)
    assert box.found() == {"OWNERS.py": "edited"}
    assert box.update("--undo").code == 0
    assert box.state() == edited


def test_presets_and_flags_of_before_are_understood(box: Box, pack: Path, tmp_path: Path) -> None:
    renew(pack, NEWER)
    assert box.run("pack", "check", str(pack)).code == 0
    words = ["--pack", str(pack), "--preset", "ours"]
    assert box.run("new", str(box.project), *words).code == 0
    assert "\nlabel:\n  variant: team  # or plain\n  extent: 4  #" in box.read(DESIGN)
    other = tmp_path / "two/project"
    ran = box.run("new", str(other), *words, "--set", "badge.size=5")
    assert (ran.code, ran.err.count("\n")) == (0, 2)
    assert f"(acme 1: {REASON})" in ran.err
    assert "  extent: 5  #" in (other / DESIGN).read_text()


def test_a_pack_and_the_tool_below_it_rename_the_same_thing(box: Box, pack: Path) -> None:
    extend = "extend:\n  {}/red: {{options: {{{}: {{type: int, default: 3, help: how faint}}}}}}\n"
    renew(pack, BADGE, extend.format("color", "faint"))
    words = ["--defaults", "--pack", str(pack), "--set", "color.faint=4"]
    assert box.run("new", str(box.project), *words).code == 0
    older = migrations({"rename": "color.faint", "to": "color.weak"})  # before the tool's
    renew(pack, BADGE | {"migrations.yaml": older}, extend.format("paint", "weak"))
    box.set_templates(RENAMED_AXIS)
    ran = box.update()
    assert (ran.code, ran.json["design"]) == (0, [])
    assert "\npaint:\n  variant: red  # or blue\n  shade: 3  # how dark\n  weak: 4  #" in box.read(
        DESIGN
    )
    assert box.check().json["findings"] == []


def test_an_older_pack_is_refused(box: Box, pack: Path) -> None:
    renew(pack, NEWER)
    assert box.run("new", str(box.project), "--defaults", "--pack", str(pack)).code == 0
    before = box.state()
    renew(pack, BADGE)
    for ran in (box.update(), box.check()):
        assert ran.code == 2
        assert "newer pack acme (2 migrations of names, of which this one knows 0)" in ran.out
    assert box.state() == before


def test_a_pack_is_made_for_variants_of_before(box: Box, pack: Path) -> None:
    like = "like: log\ntitle: our log\nhelp: Ours.\norder: 40\n"
    renew(pack, BADGE | {"parts/track/ours/part.yaml": like})
    box.set_templates(SPLIT_AXIS)
    ran = box.run("new", str(box.project), "--defaults", "--pack", str(pack))
    assert "like: 'log' is none of" in ran.err  # which has become more than another name
    renamed = rewritten([], {"replace": {"track": "log"}, "by": {"track": "some"}})
    for path, text in FILES.items():
        if path.startswith("parts/track/log/"):
            renamed |= {path: None, path.replace("/log/", "/some/"): text}
    box.set_templates(renamed)
    words = ["--defaults", "--pack", str(pack), "--set", "track=ours"]
    assert box.run("new", str(box.project), *words).code == 0
    assert "Writes down" in box.read("src/project/track.py")


def test_a_policy_of_before_is_told_the_name_of_today(box: Box, pack: Path) -> None:
    policy = "policy:\n  size.extent: {locked: 128, reason: our kernels are tuned for it}\n"
    renew(pack, BADGE, policy)
    box.set_templates(rewritten([], {"rename": "size.extent", "to": "size.width"}))
    ran = box.run("new", str(box.project), "--defaults", "--pack", str(pack))
    assert ran.code == 2
    assert "it is called size.width now" in " ".join(ran.err.split())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("migrations: [{version: 1, reason: x, changes: [{renam: a}]}]\n", "must be one of"),
        ("migrations: [{version: 1, reason: x, changes: [{drop: size.steps}]}]\n", "there still"),
        ("migrations: [{version: 1, reason: x, changes: [{drop: badge}]}]\n", "there still"),
        ("migrations: &x [*x]\n", "uses an anchor"),
        ("migrations: [{version: !!int 1, reason: x, changes: []}]\n", "uses the tag"),
    ],
)
def test_migrations_of_a_pack_that_will_not_do(
    box: Box, pack: Path, text: str, message: str
) -> None:
    (pack / "migrations.yaml").write_text(text)
    for words in (
        ["pack", "check", str(pack)],
        ["new", str(box.project), "--defaults", "--pack", str(pack)],
    ):
        ran = box.run(*words)
        assert ran.code == 2
        assert "migrations.yaml" in ran.out + ran.err
        assert message in " ".join((ran.out + ran.err).split())
    assert not box.project.exists()
