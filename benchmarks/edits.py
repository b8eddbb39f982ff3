"""What an update makes of its owner's work: the same edits and changes for three tools.

Every tool gets a template of the same files, of which one exists only with an option and one holds
the value of another. Each scenario makes a project, edits it, changes the template or an answer,
updates, and looks: is the owner's work there, is the change there, and was a conflict told? copier
and cruft want projects in git, and get a commit of every state.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.update_tools import TOOLS, Files, Ran, Template, Tool, commit, start_history

STORY = "\n\n\n".join(f"def part_{i}():\n    return {i}" for i in range(8)) + "\n"
PLAIN, RENAMED, TRAIN, TRACK = "plain.py", "simple.py", "train.py", "track.py"
LOGO, IGNORED = "logo.bin", "local.py"
FIRST = Template(
    files={
        PLAIN: STORY,
        TRAIN: f"STEPS = @steps@\n\n\n{STORY}",
        LOGO: bytes(range(256)),
        IGNORED: STORY,
        ".gitignore": f"{IGNORED}\n",
    },
    optional={TRACK: STORY},
    steps=100,
)
TOOLS_OWN = (".git/", ".scaffold/")
MINE, NEWER = "return 'mine'", "return 'newer'"


def edited(text: str, number: int = 3, new: str = MINE) -> str:
    """The text with another value of a function."""
    assert f"return {number}\n" in text
    return text.replace(f"return {number}\n", f"{new}\n")


def with_file(name: str, content: str | bytes | None, template: Template = FIRST) -> Template:
    """The template with another file, or without it."""
    files: dict[str, str | bytes] = {**template.files}
    files.pop(name, None)
    return Template(
        files if content is None else {**files, name: content}, template.optional, template.steps
    )


@dataclass(frozen=True)
class Scenario:
    """What happens to a project, and how one sees what became of it.

    ``edit`` is the owner's, of a project at ``template``; ``changed`` is what the template is then,
    ``answers`` what is answered otherwise. ``work`` and ``change`` say of the files whether the
    owner's work and the change are there; a ``change`` of None cannot be beside the work.
    """

    name: str
    edit: Callable[[Path], None]
    work: Callable[[Files], bool]
    change: Callable[[Files], bool] | None
    changed: Template = FIRST
    answers: Mapping[str, str] = field(default_factory=dict)
    track: str = "no"
    in_git: bool = True
    by_hand: bool = False
    squashed: bool = False


def edit(name: str, number: int = 3) -> Callable[[Path], None]:
    """Another value of one function in a file."""

    def act(project: Path) -> None:
        path = project / name
        path.write_bytes(edited(path.read_bytes().decode(), number).encode())

    return act


def rename(project: Path) -> None:
    edit(PLAIN)(project)
    (project / PLAIN).rename(project / "own.py")


def delete(project: Path) -> None:
    (project / PLAIN).unlink()


def to_dos(project: Path) -> None:
    text = edited((project / TRAIN).read_text())
    (project / TRAIN).write_bytes(text.replace("\n", "\r\n").encode())


def own_value(project: Path) -> None:
    text = (project / TRAIN).read_text()
    (project / TRAIN).write_text(text.replace("STEPS = 100", "STEPS = 123"))


def own_logo(project: Path) -> None:
    (project / LOGO).write_bytes(b"mine\0")


def nothing(_project: Path) -> None:
    pass


def holds(text: str, name: str | None = None) -> Callable[[Files], bool]:
    """Whether a file, or any, holds the text."""
    return lambda files: any(
        text.encode() in content for path, content in files.items() if name in (None, path)
    )


def lacks(name: str) -> Callable[[Files], bool]:
    """Whether there is no such file."""
    return lambda files: name not in files


STEPS_NOW = holds("STEPS = 250", TRAIN)
TO_250 = {"steps": "250"}
PLAIN_NEWER = with_file(PLAIN, edited(STORY, 6, NEWER))
SCENARIOS = (
    Scenario(
        "an answer changes, edits elsewhere in the file",
        edit(TRAIN),
        holds(MINE),
        STEPS_NOW,
        answers=TO_250,
    ),
    Scenario(
        "an option is switched off, its file was edited",
        edit(TRACK),
        holds(MINE),
        None,
        track="yes",
        answers={"track": "no"},
    ),
    Scenario(
        "the template drops a file that was edited",
        edit(PLAIN),
        holds(MINE),
        None,
        with_file(PLAIN, None),
    ),
    Scenario(
        "the template renames a file that was edited",
        edit(PLAIN),
        holds(MINE),
        lambda files: RENAMED in files and PLAIN not in files,
        with_file(RENAMED, STORY, with_file(PLAIN, None)),
    ),
    Scenario(
        "a binary file was changed, the template changes another",
        own_logo,
        holds("mine\0", LOGO),
        holds(NEWER),
        PLAIN_NEWER,
    ),
    Scenario(
        "a file that git ignores was edited, the template changes another",
        edit(IGNORED),
        holds(MINE),
        holds(NEWER),
        PLAIN_NEWER,
    ),
    Scenario(
        "a file was edited and renamed, the template changes it",
        rename,
        holds(MINE, "own.py"),
        holds(NEWER, "own.py"),
        PLAIN_NEWER,
    ),
    Scenario(
        "a file was deleted, the template changes it", delete, lacks(PLAIN), None, PLAIN_NEWER
    ),
    Scenario(
        "a file was deleted, an answer changes another",
        delete,
        lacks(PLAIN),
        STEPS_NOW,
        answers=TO_250,
    ),
    Scenario(
        "the same line was changed by both", own_value, holds("STEPS = 123"), None, answers=TO_250
    ),
    Scenario(
        "the file of answers is edited by hand",
        nothing,
        holds("return 3"),
        STEPS_NOW,
        answers=TO_250,
        by_hand=True,
    ),
    Scenario(
        "line ends are those of DOS, an answer changes",
        to_dos,
        holds(f"{MINE}\r\n", TRAIN),
        holds("STEPS = 250\r\n", TRAIN),
        answers=TO_250,
    ),
    Scenario(
        "the project is not in git",
        edit(PLAIN),
        holds(MINE),
        STEPS_NOW,
        answers=TO_250,
        in_git=False,
    ),
    Scenario(
        "the template's history was squashed",
        edit(PLAIN),
        holds(MINE),
        holds(NEWER),
        PLAIN_NEWER,
        squashed=True,
    ),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares where cruft is, which needs an older cookiecutter's neighbours."""
    parser.add_argument("--cruft", default="cruft", help="the command (default: cruft)")
    parser.add_argument("--only", metavar="TEXT", default="", help="scenarios with this text")


def run(arguments: argparse.Namespace) -> bool:
    """Prints a table, a row for each scenario; the goal is that scaffold has no fault."""
    if shutil.which(arguments.cruft) is None:
        sys.exit("cruft is not installed: pip install cruft, or --cruft its path")
    tools = [tool(arguments.cruft) for tool in TOOLS]
    print(f"| scenario | {' | '.join(tool.name for tool in tools)} |")
    print(f"| --- |{' --- |' * len(tools)}")
    faults = dict.fromkeys((tool.name for tool in tools), 0)
    chosen = [scenario for scenario in SCENARIOS if arguments.only in scenario.name]
    for scenario in chosen:
        results = {tool.name: _outcome(tool, scenario) for tool in tools}
        print(f"| {scenario.name} | {' | '.join(results.values())} |", flush=True)
        for name, result in results.items():
            faults[name] += result.startswith("**")
    print(f"| faults | {' | '.join(f'{n} of {len(chosen)}' for n in faults.values())} |")
    return faults[tools[0].name] == 0


def _outcome(tool: Tool, scenario: Scenario) -> str:
    """What became of the project, in bold where it is a fault."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        tool.set_template(place / "template", FIRST)
        project = tool.new(place, {"track": scenario.track})
        if scenario.in_git:
            start_history(project)
            commit(project)
        scenario.edit(project)
        if scenario.in_git:
            commit(project)
        before = read(project)
        if scenario.squashed:
            shutil.rmtree(place / "template/.git", ignore_errors=True)
        tool.set_template(place / "template", scenario.changed)
        if scenario.by_hand:
            tool.answer_by_hand(project, scenario.answers)
            before = read(project)
            if scenario.in_git:
                commit(project)
            ran = tool.update(place, project, {})
        else:
            ran = tool.update(place, project, scenario.answers)
        return _judged(scenario, ran, before, read(project))


def _judged(scenario: Scenario, ran: Ran, before: Files, after: Files) -> str:
    conflicts = any(b"<<<<<<<" in content for content in after.values()) or any(
        path.endswith(".rej") for path in after
    )
    told = ran.code != 0 or conflicts
    if "Traceback" in ran.output:
        return "**traceback**"
    if before == after and ran.code not in (0, 3):
        return "**refused**"
    if not scenario.work(after):
        return "conflict told" if told else "**work lost**"
    if scenario.change is not None and scenario.change(after):
        return "both kept"
    return "conflict told" if told else "**change not applied, silently**"


def read(project: Path) -> Files:
    """The files of a project, but for git's and those of the tools."""
    return {
        path.relative_to(project).as_posix(): path.read_bytes()
        for path in sorted(project.rglob("*"))
        if path.is_file()
        and not path.relative_to(project).parts[0].startswith((".git", ".scaffold"))
    }
