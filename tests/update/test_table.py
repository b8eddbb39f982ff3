"""What happens to each kind of edit when an option or the templates change: a test for each row."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from boxes import FILES, LOGO, STORY, TRACK, TRAIN, Box, Change

PLAIN = "src/project/plain.py"
RED = "src/project/red.py"
TRAINS = "src/project/train.py"
TRACKS = "src/project/track.py"
PLAIN_TEMPLATE = "frames/src/package/plain.py"
RED_TEMPLATE = "parts/color/red/files/src/package/red.py"


def template(name: str, old: str, new: str) -> dict[str, str]:
    text = FILES[name]
    assert isinstance(text, str)
    assert old in text
    return {name: text.replace(old, new)}


def test_the_design_is_edited_by_hand_and_applied(box: Box) -> None:
    box.new()
    box.replace("scaffold.yaml", "steps: 100", "steps: 250")
    assert box.found() == {"size.steps": "design"}
    ran = box.update()
    assert ran.code == 0
    assert ran.verdicts() == {"README.md": "updated", TRAINS: "updated"}
    assert box.state() == box.fresh("size.steps=250")
    assert box.check().code == 0
    assert box.update().json["files"] == []


def test_every_flip_gives_what_a_new_project_would_be(box: Box) -> None:
    box.new()
    for sets in (["color=blue"], ["color=red", "track=log"], ["size.width=10", "track=none"]):
        flags = [word for text in sets for word in ("--set", text)]
        assert box.update(*flags).code == 0
        assert box.check().code == 0
    assert box.state() == box.fresh("size.width=10")


def test_comments_in_the_design_are_kept_when_their_line_goes(box: Box) -> None:
    box.new()
    text = box.read("scaffold.yaml")
    assert "  shade: 3  # how dark\n" in text
    box.write("scaffold.yaml", text.replace("  # how dark", "\t# ask Ada first"))
    assert box.update("--set", "size.steps=9").code == 0
    assert "  shade: 3\t# ask Ada first\n" in box.read("scaffold.yaml")
    assert box.update("--set", "color=blue").code == 0
    text = box.read("scaffold.yaml")
    assert "\n  # ask Ada first\n" in text
    assert "shade" not in text
    assert box.check().code == 0


def test_help_in_the_design_goes_with_its_line(box: Box) -> None:
    box.new()
    assert box.update("--set", "color=blue").code == 0
    assert box.state() == box.fresh("color=blue")


def test_edits_elsewhere_in_a_file_are_kept(box: Box) -> None:
    box.new()
    box.replace(TRAINS, "return 7", "return 77")
    ran = box.update("--set", "size.steps=9")
    assert ran.code == 0
    assert ran.verdicts()[TRAINS] == "merged"
    assert "STEPS = 9\n" in box.read(TRAINS)
    assert "return 77" in box.read(TRAINS)
    assert box.found() == {TRAINS: "edited"}
    assert box.check().code == 0


def test_a_file_in_another_encoding_is_no_part_of_a_patch(box: Box) -> None:
    box.set_templates({"data/old.txt": "a\nb\n"})
    box.new()
    box.write("old.txt", "a\n\xe9\n".encode("latin-1"))
    box.set_templates({"data/old.txt": "c\nb\n"})
    patch = box.run("update", str(box.project), "--diff").out
    assert "Binary files a/old.txt and b/old.txt differ\n" in patch
    assert "\\xe9" not in patch


def test_the_difference_of_a_long_file_takes_no_minutes(box: Box) -> None:
    lines = [f"{number}\n" for number in range(9000)]
    box.set_templates({"data/long.txt": "".join(lines)})
    box.new()
    box.set_templates({"data/long.txt": "0\n" + "".join(reversed(lines))})
    patch = box.run("update", str(box.project), "--diff").out
    subprocess.run(["git", "apply"], cwd=box.project, input=patch.encode(), check=True)
    assert box.read("long.txt") == "0\n" + "".join(reversed(lines))


@pytest.mark.parametrize("mode", [0o755, 0o644])
def test_a_file_system_without_modes(box: Box, monkeypatch: pytest.MonkeyPatch, mode: int) -> None:
    umask = os.umask(0o777 - mode)
    try:
        box.new("track=log")
        for path in box.project.rglob("*"):
            path.chmod(0o755 if path.is_dir() else mode)
        monkeypatch.setattr("scaffold.snapshot.HAS_MODES", mode == 0o755)
        assert box.found() == {}
        box.set_templates({"data/new.sh": "#!/bin/sh\n", "data/go.sh": "#!/bin/sh\n"})
        assert box.update("--dry-run").verdicts() == {"go.sh": "updated", "new.sh": "added"}
        before = box.state()
        assert box.update().code == 0
        box.path("new.sh").chmod(mode)
        assert box.found() == {}
        assert box.update().json["files"] == []
        assert box.update("--undo").code == 0
        assert box.state() == before
    finally:
        os.umask(umask)
    lock = box.read(".scaffold/lock.yaml")
    assert lock.count('mode: "755"') == 1  # on a system that has it, it is executable


def test_an_option_switched_off_does_not_take_the_edits_along(box: Box) -> None:
    box.new("track=log")
    box.replace(TRACKS, "return 3", "return 33")
    edited = box.read(TRACKS)
    ran = box.update("--set", "track=none")
    assert ran.code == 3
    assert ran.conflicts() == [TRACKS]
    assert box.read(TRACKS) == edited
    assert box.check().code == 3
    assert box.found()[TRACKS] == "conflict"
    # To run it again says that it is settled: the file is the owner's own now.
    assert box.update().code == 0
    assert box.check().code == 0
    assert box.read(TRACKS) == edited


def test_an_option_switched_off_takes_an_untouched_file_along(box: Box) -> None:
    box.new("track=log")
    assert box.update("--set", "track=none").verdicts()[TRACKS] == "removed"
    assert not box.path(TRACKS).exists()


def test_a_file_that_the_templates_drop_is_kept_where_it_was_edited(box: Box) -> None:
    box.new()
    box.replace(PLAIN, "return 3", "return 33")
    box.set_templates({PLAIN_TEMPLATE: None})
    assert "template" in box.found().values()
    assert box.check().code == 2
    ran = box.update()
    assert (ran.code, ran.conflicts()) == (3, [PLAIN])
    assert "return 33" in box.read(PLAIN)


def test_a_file_that_the_templates_rename_keeps_its_edits(box: Box) -> None:
    box.new()
    box.replace(PLAIN, "return 3", "return 33")
    renamed = {"frames/src/package/simple.py": FILES[PLAIN_TEMPLATE]}
    box.set_templates({PLAIN_TEMPLATE: None, **renamed})
    ran = box.update()
    assert ran.code == 0
    assert ran.verdicts() == {"src/project/simple.py": "renamed"}
    assert "return 33" in box.read("src/project/simple.py")
    assert not box.path(PLAIN).exists()
    assert box.check().code == 0


def test_a_package_that_is_renamed_takes_the_edits_along(box: Box) -> None:
    box.new()
    box.replace(PLAIN, "return 3", "return 33")
    box.write("src/project/mine.py", "mine\n")
    ran = box.update("--set", "project.package=other")
    assert ran.code == 0
    assert "return 33" in box.read("src/other/plain.py")
    assert os.listdir(box.path("src/project")) == ["mine.py"]
    assert box.update("--set", "project.package=third").code == 0
    assert sorted(os.listdir(box.path("src"))) == ["project", "third"]


def test_a_file_and_a_folder_change_places(box: Box) -> None:
    box.set_templates({"data/notes/one/a.txt": "a\n", "data/notes/b.txt": "b\n"})
    box.new()
    box.set_templates({"data/notes": "now a file\n"})
    before = box.state()
    assert box.update().code == 0
    assert box.read("notes") == "now a file\n"
    assert box.update("--undo").code == 0
    assert box.state() == before
    box.replace("notes/b.txt", "b", "mine")
    assert box.update().code == 3
    assert box.read("notes/b.txt") == "mine\n"
    assert box.update("--undo").code == 0
    box.replace("notes/b.txt", "mine", "b")
    box.write("notes/own.txt", "mine\n")
    assert box.update().conflicts() == ["notes"]
    assert box.read("notes/own.txt") == "mine\n"
    box.project = box.project.with_name("again")
    box.new()
    box.set_templates({"data/notes/one/a.txt": "a\n"})
    assert box.update().code == 0
    assert box.read("notes/one/a.txt") == "a\n"


def test_a_binary_file_of_the_owner_is_not_reverted(box: Box) -> None:
    box.new()
    box.write("logo.bin", LOGO[::-1])
    assert box.update("--set", "size.steps=9").code == 0
    assert box.path("logo.bin").read_bytes() == LOGO[::-1]


def test_a_binary_file_changed_by_both_is_a_conflict(box: Box) -> None:
    box.new()
    box.write("logo.bin", LOGO[::-1])
    box.set_templates({"data/logo.bin": LOGO + b"\0"})
    ran = box.update()
    assert (ran.code, ran.conflicts()) == (3, ["logo.bin"])
    assert box.path("logo.bin").read_bytes() == LOGO[::-1]
    assert box.check().code == 3
    assert box.update().code == 0
    assert box.check().code == 0


def test_a_file_that_git_ignores_is_merged_like_any_other(box: Box) -> None:
    box.new()
    subprocess.run(["git", "init", "--quiet", str(box.project)], check=True)
    box.write(".gitignore", "*\n")
    box.replace(TRAINS, "return 7", "return 77")
    assert box.update("--set", "size.steps=9").code == 0
    assert "STEPS = 9\n" in box.read(TRAINS)
    assert "return 77" in box.read(TRAINS)


@pytest.mark.parametrize("moved", ["src/project/own/plain.py", "src/project/other_name.py", "x.py"])
def test_what_changes_in_a_file_the_owner_renamed_is_applied_there(box: Box, moved: str) -> None:
    box.new()
    box.replace(PLAIN, "return 3", "return 33")
    box.write(moved, box.path(PLAIN).read_bytes())
    box.path(PLAIN).unlink()
    box.set_templates(template(PLAIN_TEMPLATE, "return 6", "return 66"))
    ran = box.update()
    assert ran.code == 0
    assert ran.verdicts() == {moved: "merged"}
    assert "return 33" in box.read(moved)
    assert "return 66" in box.read(moved)
    assert not box.path(PLAIN).exists()
    assert box.found() == {PLAIN: "deleted"}
    assert box.check().code == 0
    box.set_templates(template(PLAIN_TEMPLATE, "return 5", "return 55"))
    assert box.update().code == 0
    assert "return 55" in box.read(moved)


@pytest.mark.parametrize("kind", ["renamed", "dropped"])
def test_a_file_renamed_by_the_owner_and_gone_from_the_templates(box: Box, kind: str) -> None:
    box.new()
    mine, its = "src/project/mine.py", "src/project/its.py"
    box.path(PLAIN).rename(box.path(mine))
    box.replace(mine, "return 3", "return 33")
    text = str(FILES[PLAIN_TEMPLATE]).replace("return 6", "return 66")
    more = {"frames/src/package/its.py": text} if kind == "renamed" else {}
    box.set_templates({PLAIN_TEMPLATE: None, **more})
    ran = box.update()
    assert ran.code == 3
    assert ran.conflicts() == ([its, mine] if kind == "renamed" else [mine])
    assert "return 33" in box.read(mine)
    assert kind == "dropped" or "return 66" in box.read(its)
    assert box.check().code == 3
    assert box.update().code == 0
    assert box.check().code == 0


def test_a_file_that_is_not_text_is_followed_where_it_was_moved(box: Box) -> None:
    box.new()
    box.write("assets/own.bin", LOGO)
    box.path("logo.bin").unlink()
    box.set_templates({"data/logo.bin": LOGO + b"\0"})
    assert box.update().verdicts() == {"assets/own.bin": "merged"}
    assert box.path("assets/own.bin").read_bytes() == LOGO + b"\0"


def test_another_file_of_the_owner_is_not_taken_for_a_moved_one(box: Box) -> None:
    box.new()
    box.path(PLAIN).unlink()
    other = "\n\n\n".join(
        f"def own_{number}() -> int:\n    return {number}" for number in range(20)
    )
    box.write("src/project/own.py", other)
    box.set_templates(template(PLAIN_TEMPLATE, "return 0", "return 10"))
    assert box.update().conflicts() == [PLAIN]
    assert box.read("src/project/own.py") == other


def test_a_module_that_became_a_folder_is_followed(box: Box) -> None:
    box.new()
    text = box.read(PLAIN)
    box.path(PLAIN).unlink()
    box.write("src/project/plain/__init__.py", "")
    box.write("src/project/plain/whole.py", text + "# mine\n")
    box.set_templates(template(PLAIN_TEMPLATE, "return 0", "return 10"))
    assert box.update().code == 0
    assert "return 10" in box.read("src/project/plain/whole.py")
    assert "# mine" in box.read("src/project/plain/whole.py")


def test_a_deleted_file_stays_deleted_where_it_does_not_change(box: Box) -> None:
    box.new()
    box.path(PLAIN).unlink()
    assert box.found() == {PLAIN: "missing"}
    assert box.check().code == 2
    ran = box.run("update", str(box.project), "--dry-run")
    assert ran.out == "No file of yours changes; the lock takes note of what is new.\n"
    assert box.update("--set", "size.steps=9").code == 0
    assert not box.path(PLAIN).exists()
    assert box.found() == {PLAIN: "deleted"}
    assert box.check().code == 0


def test_a_deleted_file_that_changes_is_a_conflict(box: Box) -> None:
    box.new()
    box.path(PLAIN).unlink()
    box.set_templates(template(PLAIN_TEMPLATE, "return 0", "return 10"))
    ran = box.update()
    assert (ran.code, ran.conflicts()) == (3, [PLAIN])
    assert "you deleted it" in ran.json["conflicts"][0]["why"]
    assert "return 10" in box.read(PLAIN)
    box.path(PLAIN).unlink()
    assert box.update().code == 0
    assert not box.path(PLAIN).exists()
    assert box.check().code == 0


def test_a_line_changed_by_both_is_marked_until_it_is_settled(box: Box) -> None:
    box.new()
    box.replace(TRAINS, "STEPS = 100", "STEPS = 123")
    ran = box.update("--set", "size.steps=9")
    assert (ran.code, ran.conflicts()) == (3, [TRAINS])
    assert "<<<<<<< yours\nSTEPS = 123\n=======\nSTEPS = 9\n>>>>>>> theirs\n" in box.read(TRAINS)
    assert box.check().code == 3
    assert box.found()[TRAINS] == "conflict"
    before = box.state()
    again = box.update("--set", "size.steps=10")
    assert again.code == 2
    assert TRAINS in again.json["problems"][0]["rule"]
    assert box.state() == before
    box.write(TRAINS, TRAIN.replace("{{design.size.steps}}", "9"))
    assert box.check().code == 0
    assert box.update("--set", "size.steps=10").code == 0


def test_a_new_file_meets_one_of_the_owner(box: Box) -> None:
    box.new()
    box.write(TRACKS, "mine\n")
    ran = box.update("--set", "track=log")
    assert (ran.code, ran.conflicts()) == (3, [TRACKS])
    assert "<<<<<<< yours\nmine\n=======\n" in box.read(TRACKS)
    assert "Writes down what happens" in box.read(TRACKS)


def test_a_new_file_that_the_owner_has_already_is_no_conflict(box: Box) -> None:
    box.new()
    box.write(TRACKS, TRACK)
    assert box.update("--set", "track=log").code == 0
    assert box.read(TRACKS) == TRACK


@pytest.mark.parametrize("kind", ["folder", "link to a folder", "pipe"])
def test_what_is_no_file_is_never_replaced(box: Box, tmp_path: Path, kind: str) -> None:
    box.new()
    outside = tmp_path / "outside"
    outside.mkdir()
    if kind == "folder":
        box.write(f"{TRACKS}/mine", "mine")
    elif kind == "pipe":
        os.mkfifo(box.path(TRACKS))
    else:
        box.path(TRACKS).parent.rename(outside / "project")
        box.path(TRACKS).parent.symlink_to(outside / "project")
    ran = box.update("--set", "track=log")
    assert ran.code == 3
    assert TRACKS in ran.conflicts()
    assert "is in its place" in ran.out
    if kind == "folder":
        assert box.read(f"{TRACKS}/mine") == "mine"
    assert not (outside / "project" / "track.py").exists()
    assert box.update().code == 0


def test_a_file_made_a_link_stays_one(box: Box) -> None:
    box.new()
    box.path("logo.bin").unlink()
    box.path("logo.bin").symlink_to("elsewhere")
    assert box.update("--set", "size.steps=9").code == 0
    assert os.readlink(box.path("logo.bin")) == "elsewhere"
    box.set_templates({"data/logo.bin": b"new"})
    assert box.update().code == 3
    assert os.readlink(box.path("logo.bin")) == "elsewhere"


def test_modes_are_kept(box: Box) -> None:
    box.new()
    box.path(TRAINS).chmod(0o755)
    box.path("README.md").chmod(0o600)
    box.path("go.sh").chmod(0o750)
    assert box.update("--set", "size.steps=9").code == 0
    modes = [box.path(name).stat().st_mode & 0o777 for name in (TRAINS, "README.md", "go.sh")]
    assert modes == [0o755, 0o600, 0o750]


def test_a_mode_that_the_templates_change_is_applied(box: Box) -> None:
    box.set_templates({"data/tool": "#!/bin/sh\n"})
    box.new()
    box.path("tool").chmod(0o640)
    (box.templates / "data/tool").chmod(0o755)
    ran = box.run("update", str(box.project), "--dry-run")
    assert "old mode 100644\nnew mode 100755\n" in ran.out
    assert box.update().verdicts() == {"tool": "updated"}
    assert box.path("tool").stat().st_mode & 0o777 == 0o750
    (box.templates / "data/tool").chmod(0o644)
    assert box.update().code == 0
    assert box.path("tool").stat().st_mode & 0o777 == 0o640


def test_the_line_ends_of_the_owner_are_kept(box: Box) -> None:
    box.new()
    for name in (TRAINS, "scaffold.yaml", PLAIN):
        box.write(name, box.read(name).replace("\n", "\r\n"))
    assert box.check().code == 0
    box.replace(TRAINS, "return 7", "return 77")
    box.set_templates({PLAIN_TEMPLATE: None, "frames/src/package/new.py": FILES[PLAIN_TEMPLATE]})
    ran = box.update("--set", "size.steps=9")
    assert ran.code == 0
    text = TRAIN.replace("{{design.size.steps}}", "9").replace("return 7", "return 77")
    assert box.read(TRAINS) == text.replace("\n", "\r\n")
    assert "steps: 9  # how long\r\n" in box.read("scaffold.yaml")
    assert "\n" not in box.read("scaffold.yaml").replace("\r\n", "")
    assert box.read("src/project/new.py") == str(FILES[PLAIN_TEMPLATE]).replace("\n", "\r\n")


def test_mixed_line_ends_are_kept(box: Box) -> None:
    box.new()
    box.replace(TRAINS, "    return 7\n", "    return 7\r\n")
    assert box.update("--set", "size.steps=9").code == 0
    assert "    return 7\r\n" in box.read(TRAINS)
    assert "STEPS = 9\n" in box.read(TRAINS)


def test_a_default_that_nobody_chose_is_shown_and_stays(box: Box) -> None:
    box.new()
    name = "parts/size/small/part.yaml"
    box.set_templates(template(name, "default: 100", "default: 400"))
    ran = box.update("--dry-run")
    assert ran.json["defaults"] == [
        {"key": "size.steps", "before": 100, "recommended": 400, "taken": False}
    ]
    assert "size.steps" in box.run("update", str(box.project), "--dry-run").out
    assert box.update().code == 0
    assert "steps: 100" in box.read("scaffold.yaml")
    assert box.check().code == 0


def test_a_default_that_nobody_chose_can_be_taken(box: Box) -> None:
    box.new("size.width=10")
    name = "parts/size/small/part.yaml"
    changed = str(FILES[name]).replace("default: 100", "default: 400")
    box.set_templates({name: changed.replace("default: 64", "default: 128")})
    ran = box.update("--take-defaults")
    assert [item["key"] for item in ran.json["defaults"]] == ["size.steps"]
    assert box.state() == box.fresh("size.width=10")
    assert "STEPS = 400" in box.read(TRAINS)


def test_a_value_that_follows_from_another_follows_it(box: Box) -> None:
    box.new()
    assert box.update("--set", "size.width=100").code == 0
    assert "half: 50" in box.read("scaffold.yaml")


def test_an_error_in_a_template_changes_nothing(box: Box) -> None:
    box.new()
    before = box.state()
    box.set_templates({"data/README.md.jinja": "{{ no.such.thing }}\n"})
    assert box.update().code == 2
    assert box.state() == before


def test_all_mistakes_are_named_at_once_and_nothing_is_written(box: Box) -> None:
    box.new()
    box.replace("scaffold.yaml", "steps: 100", "steps: many")
    box.replace("scaffold.yaml", "variant: red", "variant: rod")
    before = box.state()
    ran = box.update("--set", "size.wdth=3")
    assert ran.code == 2
    assert {problem["key"] for problem in ran.json["problems"]} == {
        "size.steps",
        "color",
        "size.wdth",
    }
    assert box.state() == before


def test_works_after_the_templates_are_gone_and_come_back_elsewhere(
    box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    box.new()
    box.replace(TRAINS, "return 7", "return 77")
    moved = box.templates.parent / "wheel"
    box.templates.rename(moved)
    monkeypatch.setattr("scaffold.catalogue.default_roots", lambda: (moved,))
    (moved / PLAIN_TEMPLATE).write_text(f'"""Newer."""\n\n\n{STORY}\n')
    ran = box.update("--set", "size.steps=9")
    assert ran.code == 0
    assert "return 77" in box.read(TRAINS)
    assert "Newer" in box.read(PLAIN)


def test_works_in_a_shallow_clone_and_in_a_monorepo(box: Box, tmp_path: Path) -> None:
    source = tmp_path / "mono"
    box.project = source / "team" / "project"
    box.new()
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@y", "-C"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "1"]):
        subprocess.run([*git, str(source), *words], check=True)
    box.replace(TRAINS, "return 7", "return 77")
    subprocess.run([*git, str(source), "commit", "-qam", "2"], check=True)
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth=1", source.as_uri(), str(clone)], check=True)
    box.project = clone / "team" / "project"
    heads = (clone / ".git" / "HEAD").read_bytes(), (clone / ".git" / "index").read_bytes()
    assert box.update("--set", "size.steps=9").code == 0
    assert "return 77" in box.read(TRAINS)
    assert ((clone / ".git" / "HEAD").read_bytes(), (clone / ".git" / "index").read_bytes()) == (
        heads
    )
    status = ["git", "-C", str(clone), "status", "--short", "--untracked-files=all"]
    shown = subprocess.run(status, capture_output=True, text=True, check=True).stdout
    names = {line[3:].removeprefix("team/project/") for line in shown.splitlines()}
    assert names == {
        ".scaffold/base.tar.bz2",
        ".scaffold/lock.yaml",
        "README.md",
        "scaffold.yaml",
        TRAINS,
    }


def test_the_settings_and_attributes_of_the_user_do_not_matter(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".config" / "git").mkdir(parents=True)
    (home / ".config" / "git" / "attributes").write_text("* merge=union text eol=crlf filter=x\n")
    (home / ".gitconfig").write_text(
        "[core]\n\tautocrlf = true\n\thooksPath = /nowhere\n[commit]\n\tgpgsign = true\n"
        '[merge]\n\tconflictStyle = diff3\n\trenames = false\n[filter "x"]\n\tclean = false\n'
        "\trequired = true\n[broken\n"
    )
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere")
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    box.new()
    box.write(".gitattributes", "*.py merge=union -text\n")
    box.replace(TRAINS, "STEPS = 100", "STEPS = 123")
    assert box.update("--set", "size.steps=9").code == 3
    assert "<<<<<<< yours\nSTEPS = 123\n=======\nSTEPS = 9\n" in box.read(TRAINS)
    assert "|||||||" not in box.read(TRAINS)


def test_a_dry_run_writes_nothing_and_shows_what_the_update_does(box: Box) -> None:
    box.new("track=log")
    box.replace(TRAINS, "return 7", "return 77")
    box.replace(TRACKS, "return 3", "return 33")
    before = box.state()
    flags = ["--set", "size.steps=9", "--set", "color=blue", "--set", "track=none"]
    preview = box.update("--dry-run", *flags)
    text = box.run("update", str(box.project), "--dry-run", *flags)
    patch = box.run("update", str(box.project), "--diff", *flags)
    assert box.state() == before
    assert not box.path(".scaffold/undo").exists()
    assert preview.code == text.code == patch.code == 3
    assert "-STEPS = 100\n+STEPS = 9\n" in patch.out
    assert "conflict  src/project/track.py" in text.out
    assert "-STEPS = 100\n+STEPS = 9\n" in text.out
    assert "nothing is written" in text.out
    done = box.update(*flags)
    assert done.verdicts() == preview.verdicts()
    assert done.json["conflicts"] == preview.json["conflicts"]
    assert done.json["design"] == preview.json["design"]


def test_the_patch_is_one_that_git_can_apply(box: Box, tmp_path: Path) -> None:
    box.new()
    box.replace(PLAIN, "return 7", "return 77")
    other = tmp_path / "other"
    shutil.copytree(box.project, other)
    renamed: dict[str, Change] = {"frames/src/package/simple.py": FILES[PLAIN_TEMPLATE]}
    gone = {PLAIN_TEMPLATE: None, "data/go.sh": None, "data/empty.sh": ""}
    box.set_templates({**gone, **renamed, "data/no_end": "no end"})
    patch = box.run("update", str(box.project), "--diff", "--set", "color=blue").out
    assert box.update("--set", "color=blue").code == 0
    subprocess.run(["git", "apply"], cwd=other, input=patch, text=True, check=True)
    mine, its = box.state(), Box.state_of(other)
    assert {name for name in mine if not name.startswith(".scaffold")} == {
        name for name in its if not name.startswith(".scaffold")
    }
    for name, (content, mode) in mine.items():
        if not name.startswith(".scaffold/"):
            assert its[name] == (content, mode), name


def test_other_files_cost_nothing_and_are_not_read(box: Box) -> None:
    box.new()
    box.path("runs").mkdir()
    for number in range(300):
        box.write(f"mine/{number}.py", "x\n")
    os.mkfifo(box.path("runs/checkpoint.pt"))
    os.mkfifo(box.path("mine/pipe.py"))
    box.path(PLAIN).unlink()
    box.set_templates(template(PLAIN_TEMPLATE, "return 0", "return 10"))
    assert box.update("--set", "size.steps=9").code == 3


def test_two_updates_at_once(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    box.new()
    ran: list[int] = []
    original = os.replace

    def meanwhile(source: Path, target: Path) -> None:
        if not ran:
            ran.append(box.update("--set", "color=blue").code)
            ran.append(box.check().code)
        original(source, target)

    monkeypatch.setattr(os, "replace", meanwhile)
    assert box.update("--set", "size.steps=9").code == 0
    assert ran == [2, 2]
    monkeypatch.setattr(os, "replace", original)
    assert box.state() == box.fresh("size.steps=9")
