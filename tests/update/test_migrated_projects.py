"""Templates whose names changed: projects, files of answers and flags of before still work."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from boxes import Box, Change
from migrating import (
    ADDED_AXIS,
    DROPPED_OPTION,
    DROPPED_VALUE,
    MOVED_OPTION,
    OTHER_UNIT,
    REASON,
    RENAMED_AXIS,
    RENAMED_OPTION,
    SPLIT_AXIS,
    SPLIT_VARIANT,
)

LOCK = ".scaffold/lock.yaml"
DESIGN = "scaffold.yaml"
CASES = {
    "option": (RENAMED_OPTION, ["size.width=10"], ["size.breadth=10"]),
    "axis": (RENAMED_AXIS, ["color=blue", "color.depth=9"], ["paint=blue", "paint.depth=9"]),
    "axis at its default": (RENAMED_AXIS, ["gloss=glossy"], ["gloss=glossy"]),
    "move": (MOVED_OPTION, ["size.rate=0.5", "track=log"], ["track.every=0.5", "track=log"]),
    "variant": (
        SPLIT_VARIANT,
        ["color=blue", "color.depth=9"],
        ["color=red", "color.tint=blue", "color.depth=9"],
    ),
    "two axes": (SPLIT_AXIS, ["track=log"], ["track=some", "format=lines"]),
    "two axes at their default": (SPLIT_AXIS, [], []),
    "unit": (OTHER_UNIT, ["size.rate=0.25"], ["size.percent=25.0"]),
    "drop": (DROPPED_OPTION, ["size.rate=0.25"], []),
    "drop of a value": (DROPPED_VALUE, [], []),
}


def events(box: Box, *words: str) -> list[tuple[dict[str, object], dict[str, object]]]:
    ran = box.update("--dry-run", *words)
    assert ran.code == 0, ran.out
    return [(item["before"], item["after"]) for item in ran.json["migrations"]]


def problems(box: Box, *words: str) -> dict[str, str]:
    before = box.state()
    ran = box.update(*words)
    assert ran.code == 2, ran.out
    assert box.state() == before
    return {item["key"]: f"{item['rule']}; {item['fix']}" for item in ran.json["problems"]}


@pytest.mark.parametrize("case", CASES)
def test_an_update_gives_what_a_new_project_would_be(box: Box, case: str) -> None:
    changes, before, after = CASES[case]
    box.new(*before)
    box.write(DESIGN, "# Ours: ask Ada.\n" + box.read(DESIGN))
    untouched = box.state()
    box.set_templates(changes)
    assert "migration" in box.found().values()
    assert box.check().code == 2
    ran = box.update()
    assert (ran.code, ran.json["conflicts"], ran.json["defaults"]) == (0, [], [])
    assert {item["reason"] for item in ran.json["migrations"]} == {REASON}
    assert ran.json["design"] == [] or case == "variant"
    updated = box.state()
    assert box.check().json["findings"] == []
    assert box.update().json["files"] == []
    assert box.state() == updated
    assert box.update("--undo").code == 0
    assert box.state() == untouched
    assert box.update().code == 0
    fresh = box.fresh(*after)
    assert {*updated} == {*fresh}
    assert updated[DESIGN][0].startswith(b"# Ours: ask Ada.\n")
    unlike = {path for path in fresh if updated[path] != fresh[path]} - {DESIGN}
    assert unlike <= {LOCK}  # which lists values in the order of today, or that of before
    assert box.update("--dry-run", *flags(after)).json["files"] == []


def flags(sets: list[str]) -> list[str]:
    return [word for text in sets for word in ("--set", text)]


def test_the_report_says_what_changed_and_why(box: Box) -> None:
    box.new("size.width=10")
    box.set_templates(RENAMED_OPTION)
    for words in (("--dry-run",), ()):
        out = box.run("update", str(box.project), *words).out
        assert "scaffold 1: it reads better\n    size.width = 10 -> size.breadth = 10\n" in out
    assert "migrations: 1\n" in box.read(LOCK)


def test_check_names_each_change(box: Box) -> None:
    box.new()
    box.set_templates(RENAMED_OPTION)
    (found,) = [item for item in box.check().json["findings"] if item["kind"] == "migration"]
    told = "size.width = 64 -> size.breadth = 64: it reads better"
    assert (found["subject"], found["text"]) == ("scaffold 1", told)


def test_lines_keep_their_place_and_their_comments(box: Box) -> None:
    box.new()
    box.replace(DESIGN, "  width: 64  # how wide\n", "  # Ours.\n  width: 1_0  # ask Ada\n")
    text = box.read(DESIGN)
    box.set_templates(RENAMED_OPTION)
    assert box.update().code == 0
    assert box.read(DESIGN) == text.replace("width: 1_0", "breadth: 1_0").replace(
        "half: 32", "half: 5"
    )
    assert "breadth: 10\n" in box.read(LOCK)


def test_an_option_that_moves_takes_its_comments_along(box: Box) -> None:
    box.new()
    box.replace(DESIGN, "  rate: 0.001  # how fast\n", "  # Ours.\n  rate: 2e-3 # ask Ada\n")
    box.set_templates(MOVED_OPTION)
    assert box.update().code == 0
    assert "  variant: none  # or log\n  # Ours.\n  every: 2e-3 # ask Ada\n" in box.read(DESIGN)
    assert "rate" not in box.read(DESIGN)
    assert box.check().code == 0


def test_short_files_stay_short(box: Box) -> None:
    box.new()
    short = 'project: {name: project, package: project, description: "Small, trained."}\n'
    short += "size: {width: 10, steps: 9}\ncolor: red # warm\nsize.rate: 0.5\n"
    box.write(DESIGN, short)
    box.set_templates(RENAMED_OPTION)
    assert box.update().code == 0
    assert box.read(DESIGN) == short.replace("width", "breadth")
    box.set_templates(RENAMED_AXIS)
    assert box.update().code == 2  # of size.breadth nothing is known here


@pytest.mark.parametrize("name", ["width", "breadth"])
def test_edits_of_before_the_update_hold(box: Box, name: str) -> None:
    box.new()
    box.replace(DESIGN, "  width: 64  #", f"  {name}: 12  #")
    box.set_templates(RENAMED_OPTION)
    ran = box.update()
    assert ran.code == 0
    assert {item["key"]: item["after"] for item in ran.json["design"]} == {
        "size.breadth": 12,
        "size.half": 6,
    }
    assert "breadth: 12  # how wide" in box.read(DESIGN)
    assert "width:" not in box.read(DESIGN)


def test_old_and_new_names_with_two_values_are_refused(box: Box) -> None:
    box.new()
    box.replace(DESIGN, "  width: 64  # how wide\n", "  width: 12\n  breadth: 13\n")
    box.set_templates(RENAMED_OPTION)
    before = box.state()
    for ran in (box.update(), box.check()):
        assert ran.code == 2
        assert [item["key"] for item in ran.json["problems"]] == ["size.width"]
        assert "size.breadth" in ran.out
    assert box.state() == before
    box.replace(DESIGN, "breadth: 13", "breadth: 1_2")
    assert box.update().code == 0
    assert "  breadth: 1_2\n" in box.read(DESIGN)
    assert "width:" not in box.read(DESIGN)


def test_an_old_value_and_what_it_became_are_refused_together(box: Box) -> None:
    box.new("color=blue")
    box.set_templates(SPLIT_VARIANT)
    box.replace(DESIGN, "  variant: blue  # or red\n", "  variant: blue\n  tint: none\n")
    rule = "it is called color.tint now, which is there too, with none"
    assert problems(box) == {"color": f"{rule}; keep one of the two"}


def test_words_that_newer_templates_have_for_a_renamed_option_are_taken(box: Box) -> None:
    box.new()
    box.replace(DESIGN, "  shade: 3  # how dark", "  shade: 3  # ask Ada")
    part = "parts/size/small/part.yaml"
    words = str(RENAMED_OPTION[part]).replace("how wide", "how broad")
    box.set_templates({**RENAMED_OPTION, part: words})
    assert box.update().code == 0
    expected = box.fresh()[DESIGN][0].decode().replace("# how dark", "# ask Ada")
    assert "  breadth: 64  # how broad\n" in expected
    assert box.read(DESIGN) == expected


def test_names_of_before_are_known_for_good(box: Box) -> None:
    box.new()
    box.set_templates(RENAMED_OPTION)
    assert box.update().code == 0
    box.replace(DESIGN, "  breadth: 64", "  width: 20")
    assert box.found() == {"scaffold 1": "migration", "size.breadth": "design"}
    assert box.update("--set", "size.half=3").code == 0
    assert "  breadth: 20" in box.read(DESIGN)
    assert box.update("--set", "size.width=21").code == 0
    assert "  breadth: 21" in box.read(DESIGN)


def test_remembered_answers_are_back_under_their_new_name(box: Box) -> None:
    box.new("color.shade=7", "gloss=glossy")
    assert box.update("--set", "color=blue").code == 0
    box.set_templates(RENAMED_AXIS)
    assert box.update().code == 0
    assert "remembered:\n  paint.shade: 7\n  gloss: glossy\n" in box.read(LOCK)
    assert box.update("--set", "paint=red").code == 0
    assert box.state()[DESIGN] == box.fresh("paint.shade=7", "gloss=glossy")[DESIGN]


def test_a_value_of_which_nothing_becomes_is_refused_with_the_reason(box: Box) -> None:
    box.new("size.rate=0.5")
    box.set_templates(DROPPED_VALUE)
    told = {"size.rate": f"there is no such key any more: {REASON}; leave it out"}
    assert problems(box) == told
    box.replace(DESIGN, "  rate: 0.5  # how fast\n", "")
    assert box.update().code == 0


def test_a_dropped_value_that_was_chosen_is_shown(box: Box) -> None:
    box.new("size.rate=0.5")
    box.set_templates(DROPPED_OPTION)
    assert events(box) == [({"size.rate": 0.5}, {})]


def test_what_was_so_without_a_key_stays_so(box: Box) -> None:
    box.new()
    box.set_templates(ADDED_AXIS)
    ran = box.update()
    assert [(item["key"], item["taken"]) for item in ran.json["defaults"]] == [("finish", False)]
    assert "\nfinish:\n  variant: rough" in box.read(DESIGN)
    assert "variant: smooth" in box.fresh()[DESIGN][0].decode()  # a new project takes today's
    assert box.update("--undo").code == 0
    assert box.update("--take-defaults").code == 0
    assert "\nfinish:\n  variant: smooth" in box.read(DESIGN)


def test_what_is_new_and_has_no_place_in_a_design_is_not_added(box: Box) -> None:
    box.new("color=blue")
    only = str(ADDED_AXIS["parts/finish/axis.yaml"]) + "when: {color: [red]}\n"
    box.set_templates({**ADDED_AXIS, "parts/finish/axis.yaml": only})
    ran = box.update()
    assert (ran.code, ran.json["defaults"], ran.json["design"]) == (0, [], [])
    assert "finish" not in box.read(DESIGN)


def test_steps_that_were_left_out_are_made_up_for(box: Box) -> None:
    box.new("size.width=10")
    chain = dict(RENAMED_OPTION)
    chain["migrations.yaml"] = (
        "migrations:\n"
        "- {version: 1, reason: one, changes: [{rename: size.width, to: size.extent}]}\n"
        "- {version: 2, reason: two, changes: [{rename: size.extent, to: size.breadth}]}\n"
    )
    box.set_templates(chain)
    assert events(box) == [
        ({"size.width": 10}, {"size.extent": 10}),
        ({"size.extent": 10}, {"size.breadth": 10}),
    ]
    assert box.update().code == 0
    assert "migrations: 2\n" in box.read(LOCK)
    assert box.check().json["findings"] == []


def test_a_project_of_newer_names_is_refused(box: Box) -> None:
    box.set_templates(RENAMED_OPTION)
    box.new()
    box.set_templates({})
    before = box.state()
    for ran in (box.update(), box.check()):
        assert ran.code == 2
        assert "newer scaffold (1 migrations of names, of which this one knows 0)" in ran.out
    assert box.state() == before


@pytest.mark.parametrize("text", ["migrations: -1\n", "migrations: x\n", "migrations: true\n"])
def test_a_lock_with_an_odd_version_is_refused(box: Box, text: str) -> None:
    box.new()
    box.write(LOCK, box.read(LOCK) + text)
    ran = box.check()
    assert ran.code == 2
    assert "restore it" in ran.out


@pytest.mark.parametrize("changes", [RENAMED_AXIS, SPLIT_AXIS], ids=["rename", "split"])
def test_answers_of_before_make_the_project_of_today(
    box: Box, changes: Mapping[str, Change], tmp_path: Path
) -> None:
    sets = ["color=blue", "color.depth=9", "track=log"]
    box.new(*sets)
    answers = tmp_path / "old.yaml"
    box.path(DESIGN).rename(answers)
    box.set_templates(changes)
    for number, words in enumerate((["--answers", str(answers)], ["--defaults", *flags(sets)])):
        other = tmp_path / str(number) / "project"
        ran = box.run("new", str(other), *words)
        assert ran.code == 0, ran.err
        assert f" (scaffold 1: {REASON})\n" in ran.err
        new = "paint=blue" if changes is RENAMED_AXIS else "color=blue"
        rest = ["paint.depth=9", "track=log"] if changes is RENAMED_AXIS else sets[1:]
        assert box.state_of(other) == box.fresh(new, *rest)


def test_a_flag_of_today_stands_above_a_file_of_before(box: Box, tmp_path: Path) -> None:
    box.set_templates(RENAMED_OPTION)
    answers = tmp_path / "old.yaml"
    answers.write_text("size: {variant: small, width: 10, rate: 0.5}\n")
    words = ["--answers", str(answers), "--set", "size.breadth=11", "--defaults"]
    assert box.run("new", str(box.project), *words).code == 0
    assert "breadth: 11  #" in box.read(DESIGN)
    both = ["--set", "size.breadth=11", "--set", "size.width=12", "--defaults", "--json"]
    ran = box.run("new", str(tmp_path / "two"), *both)
    assert [item["key"] for item in ran.json["problems"]] == ["size.width"]


def test_explain_knows_a_project_of_before(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    box.new("size.width=10")
    box.set_templates(RENAMED_OPTION)
    monkeypatch.chdir(box.project)
    ran = box.run("explain", "size.breadth")
    assert (ran.code, ran.out.split()[:2]) == (0, ["size.breadth", "10"])
    assert ran.err == "size.width = 10 -> size.breadth = 10 (scaffold 1: it reads better)\n"
    ran = box.run("explain", "size.width")
    assert (ran.code, "it is called size.breadth now" in ran.err) == (2, True)
