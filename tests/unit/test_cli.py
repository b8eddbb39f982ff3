"""``scaffold new`` and the small commands from end to end, on a small catalogue."""

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from toy import toy_templates

from scaffold import __version__, cli
from scaffold.write import write_project


@pytest.fixture(autouse=True)
def toy(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    root = toy_templates(tmp_path_factory.mktemp("toy"))
    monkeypatch.setattr("scaffold.catalogue.default_roots", lambda: (root,))
    monkeypatch.chdir(tmp_path_factory.mktemp("work"))


def contents(root: Path) -> dict[str, bytes]:
    files = [path for path in root.rglob("*") if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def problems(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [problem["key"] for problem in json.loads(capsys.readouterr().out)["problems"]]


def test_makes_a_project_and_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new", "my-run", "--defaults"]) == 0
    out = capsys.readouterr().out
    assert Path("my-run/src/my_run/train.py").read_text() == '"""Trains."""\n\nprint("step")\n'
    assert "scaffold.yaml" in contents(Path("my-run"))
    following = out.split("Next:\n")[1].splitlines()
    assert [line.split("#")[0].strip() for line in following[:4]] == [
        "cd my-run",
        "python -m pip install -e .",
        "python -m my_run.prepare",
        "python -m my_run.train",
    ]
    assert out.endswith("The same again:\n  scaffold new my-run --defaults\n")


def test_steps_are_filled_with_the_values_of_the_design(
    capsys: pytest.CaptureFixture[str],
) -> None:
    flags = ["--set", "devices=many", "--set", "devices.n_devices=4", "--defaults", "--json"]
    assert cli.main(["new", "a b/run", *flags]) == 0
    commands = [step["run"] for step in json.loads(capsys.readouterr().out)["commands"]]
    assert commands[0] == "cd 'a b/run'"
    assert commands[-1] == "torchrun --nproc=4 -m run.train"


@pytest.mark.parametrize(
    "flags",
    [
        [],
        ["--set", "task.n_heads=5"],
        ["--set", "task=pictures", "--set", "devices.n_devices=6"],
        ["--set", "mixer=full", "--set", "training.folder=it's here", "--set", "launch=cluster"],
        ["--set", "training.rate=1e-5", "--set", "training.shuffle=off", "--name", "x.y-1"],
        ["--set", "project.description=a 'b' \"c\" $d", "--package", "abcd"],
        ["--set", "mixer.n_groups=5", "--set", "vocabulary.size=300"],
    ],
)
def test_the_equivalent_command_makes_the_same_bytes(
    capsys: pytest.CaptureFixture[str], flags: list[str]
) -> None:
    assert cli.main(["new", "one dir", "--defaults", "--json", *flags]) == 0
    first = json.loads(capsys.readouterr().out)
    files = contents(Path("one dir"))
    Path("one dir").rename("first")
    program, *words = shlex.split(first["equivalent"])
    assert program == "scaffold"
    assert cli.main([*words, "--json"]) == 0
    assert contents(Path("one dir")) == files
    second = json.loads(capsys.readouterr().out)
    assert second["equivalent"] == first["equivalent"]


def test_the_written_design_is_a_file_of_answers(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--set", "task.n_heads=5", "--set", "devices=many", "--defaults"]
    assert cli.main(["new", "first", *flags]) == 0
    assert cli.main(["new", "second", "--answers", "first/scaffold.yaml"]) == 0
    assert contents(Path("first")) == contents(Path("second"))
    assert capsys.readouterr().err == ""


def test_the_equivalent_command_says_only_what_differs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    flags = ["--set", "task.dim=384", "--set", "devices=one", "--set", "task.n_heads=5"]
    assert cli.main(["new", "x", "--defaults", "--json", *flags, "--set", "task.dim=320"]) == 2
    capsys.readouterr()
    assert cli.main(["new", "x", "--defaults", "--json", *flags[2:]]) == 0
    again = json.loads(capsys.readouterr().out)["equivalent"]
    assert set(again.split(" --set ")[1:]) == {"task.n_heads=5", "task.dim=320"}


def test_a_reader_does_not_say_that_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "--set", "task.dim"]) == 2
    assert "nothing is written" not in capsys.readouterr().err
    assert cli.main(["new", "x", "--defaults"]) == 0
    Path("x/scaffold.yaml").write_text("")
    assert cli.main(["check", "x"]) == 2
    assert capsys.readouterr().err.startswith("1 problem(s).\n")
    assert cli.main(["update", "x"]) == 2
    assert capsys.readouterr().err.startswith("1 problem(s); nothing is written.\n")


def test_an_update_names_all_problems_of_its_flags(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new", "x", "--defaults"]) == 0
    flags = ["--set", "task.dim", "--set", "task.n_heads=many", "--set", "nothing=1"]
    assert cli.main(["update", "x", *flags]) == 2
    told = capsys.readouterr().err
    assert told.startswith("3 problem(s); nothing is written.\n")
    assert "task.dim" in told and "n_heads" in told and "nothing = 1" in told
    assert cli.main(["update", "x", "--set", "task.dim"]) == 2


def test_a_dry_run_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new", "x", "--defaults", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert list(Path().iterdir()) == []
    assert "Needs no labels." in out
    assert "train.py" in out
    assert cli.main(["new", "x", "--defaults", "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["written"] is False
    assert list(Path().iterdir()) == []
    assert cli.main(["new", "x", "--defaults"]) == 0
    sizes = {path: len(content) for path, content in contents(Path("x")).items()}
    assert {file["path"]: file["bytes"] for file in found["files"]} == sizes


def test_without_a_terminal_every_missing_answer_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["new", "x", "--json"]) == 2
    assert problems(capsys) == ["task", "mixer", "reach", "vocabulary", "devices", "launch"]
    assert cli.main(["new", "x", "--set", "task=pictures", "--set", "launch=here", "--json"]) == 2
    assert problems(capsys) == ["devices"]
    assert list(Path().iterdir()) == []


def test_all_problems_come_at_once_and_nothing_is_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("a.yaml").write_text("task: {dim: wide, variant: words}\nbogus: 1\ntraining: ${x}\n")
    flags = ["--preset", "nope", "--answers", "a.yaml", "--set", "training.steps=1.5", "--set", "x"]
    assert cli.main(["new", "p", *flags, "--package", "class", "--defaults", "--json"]) == 2
    assert set(problems(capsys)) == {
        "--preset",
        "bogus",
        "training",
        "--set",
        "task.dim",
        "training.steps",
        "project.package",
    }
    assert cli.main(["new", "p", *flags, "--defaults"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "training.steps = 1.5: it must be a whole number" in shown.err
    assert "fix: give a whole number of at least 1" in shown.err
    assert not Path("p").exists()


def test_refuses_a_folder_with_files_unless_forced(capsys: pytest.CaptureFixture[str]) -> None:
    Path("x").mkdir()
    Path("x/mine.txt").write_text("mine")
    assert cli.main(["new", "x"]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert contents(Path("x")) == {"mine.txt": b"mine"}
    assert cli.main(["new", "x", "--defaults", "--force"]) == 0
    assert contents(Path("x"))["mine.txt"] == b"mine"
    assert "scaffold.yaml" in contents(Path("x"))


def test_the_current_folder_names_the_project() -> None:
    Path("here-now").mkdir()
    os.chdir("here-now")
    assert cli.main(["new", ".", "--defaults"]) == 0
    assert Path("src/here_now/train.py").is_file()


def test_names_that_will_not_do_are_told_with_the_way_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["new", "json", "--defaults"]) == 2
    assert "--package" in capsys.readouterr().err
    assert cli.main(["new", "json", "--defaults", "--package", "my_json"]) == 0
    assert cli.main(["new", "größe", "--defaults"]) == 2
    assert "--name" in capsys.readouterr().err
    assert cli.main(["new", "größe", "--defaults", "--name", "size"]) == 0


def test_starts_a_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    assert cli.main(["new", "x", "--defaults", "--git"]) == 0
    monkeypatch.delenv("GIT_DIR")
    git = ["git", "-C", "x"]
    log = subprocess.run([*git, "log", "--format=%s"], capture_output=True, text=True, check=True)
    assert log.stdout == "Start the project\n"
    status = subprocess.run([*git, "status", "-s"], capture_output=True, text=True, check=True)
    assert status.stdout == ""
    listed = subprocess.run([*git, "ls-files"], capture_output=True, text=True, check=True)
    assert "scaffold.yaml" in listed.stdout


def test_git_is_looked_for_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    subprocess.run(["git", "init", "--quiet", "x"], check=True)
    before = contents(Path("x"))
    assert cli.main(["new", "x", "--defaults", "--git", "--force"]) == 2
    assert "repository already" in capsys.readouterr().err
    assert contents(Path("x")) == before
    monkeypatch.setenv("PATH", "")
    assert cli.main(["new", "y", "--defaults", "--git"]) == 2
    assert "git is not installed" in capsys.readouterr().err
    assert not Path("y").exists()


def test_lists_presets(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["presets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(line.split()[0] for line in lines)
    assert any(line.startswith("pydoc-lm ") for line in lines)
    assert cli.main(["presets", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["presets"]
    assert len(found) == len(lines)
    assert set(found[0]) == {"name", "title", "help"}


def test_shows_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"scaffold {__version__}\n"


@pytest.mark.parametrize("shell", cli.SHELLS)
def test_prints_a_completion_script(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    assert cli.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "scaffold" in script
    assert "--dry-run" in script or "dry-run" in script
    if shell == "bash":
        assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


@pytest.mark.parametrize(
    "words",
    [["new"], ["new", "x", "y"], ["new", "x", "--pre", "toy"], ["fly"], [], ["explain", "--set"]],
)
def test_a_command_line_that_is_wrong_is_told_as_any_error(
    capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert cli.main(words) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert cli.main([*words, "--json"]) == 2
    assert len(problems(capsys)) == 1


@pytest.mark.parametrize("flag", ["--preset", "--answers", "--name", "--package"])
def test_a_flag_that_is_given_twice_is_not_ignored(
    capsys: pytest.CaptureFixture[str], flag: str
) -> None:
    assert cli.main(["new", "x", "--defaults", flag, "one", flag, "other"]) == 2
    assert f"argument {flag}: given twice: one and other" in capsys.readouterr().err
    assert not Path("x").exists()


@pytest.mark.parametrize(
    "words", [["--name", ""], ["--package", " "], ["--set", "project.description="]]
)
def test_an_empty_name_is_no_name(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert cli.main(["new", "x", "--defaults", *words]) == 2
    assert "it has no value" in capsys.readouterr().err
    assert not Path("x").exists()


@pytest.mark.parametrize("more", [[], ["--dry-run"], ["--force"]])
def test_an_empty_destination_is_not_the_current_folder(
    capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    assert cli.main(["new", "", "--defaults", *more]) == 2
    assert "DEST is empty" in capsys.readouterr().err
    assert list(Path().iterdir()) == []


def test_a_file_that_cannot_be_read_is_the_only_problem(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["new", "x", "--answers", "nowhere.yaml", "--json"]) == 2
    assert problems(capsys) == ["--answers"]


def test_an_unexpected_error_is_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("scaffold.catalogue.default_roots", fail)
    with pytest.raises(RuntimeError, match="a bug"):
        cli.main(["new", "x", "--defaults"])


def test_an_interrupt_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("scaffold.commands.new.make_tree", interrupt)
    assert cli.main(["new", "x", "--defaults"]) == 130
    assert "nothing is written" in capsys.readouterr().err
    assert not Path("x").exists()


def test_an_interrupt_after_writing_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("scaffold.repository.start", interrupt)
    assert cli.main(["new", "x", "--defaults", "--git"]) == 130
    assert "the project is in x, but not committed" in capsys.readouterr().err
    assert "scaffold.yaml" in contents(Path("x"))


def test_an_interrupt_between_the_last_file_and_the_last_word_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(*arguments: Any, **options: Any) -> None:
        write_project(*arguments, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr("scaffold.commands.new.write_project", write)
    assert cli.main(["new", "x", "--defaults"]) == 130
    assert "Interrupted: the project is in x." in capsys.readouterr().err
