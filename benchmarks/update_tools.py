"""The tools that update projects, behind one interface: a template, a project, an update."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

SOURCE = Path(__file__).resolve().parent.parent / "src"
PROJECT = "project"
Files: TypeAlias = Mapping[str, str | bytes]


@dataclass(frozen=True)
class Template:
    """Files, of which ``optional`` ones exist with the option track; ``@steps@`` is an answer."""

    files: Mapping[str, str | bytes]
    optional: Mapping[str, str]
    steps: int


@dataclass(frozen=True)
class Ran:
    """What a command gave."""

    code: int
    output: str


class Tool(Protocol):
    """A tool that makes projects from templates and updates them."""

    name: str

    def set_template(self, folder: Path, template: Template) -> None:
        """Writes the template, the first or a newer version."""

    def new(self, place: Path, answers: Mapping[str, str]) -> Path:
        """Makes a project from ``place / "template"``."""

    def answer_by_hand(self, project: Path, answers: Mapping[str, str]) -> None:
        """Edits the file in which the tool keeps answers."""

    def update(self, place: Path, project: Path, answers: Mapping[str, str]) -> Ran:
        """Updates the project to the template as it is now, with other answers."""


def environment(**more: str) -> dict[str, str]:
    """Without settings of the user's git or of the tools."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    roles = ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL")
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return {**kept, **own, **{f"GIT_{role}": "x@y" for role in roles}, **more}


def command(*words: str, cwd: Path, **more: str) -> Ran:
    """Runs a command to its end."""
    variables = environment(HOME=str(cwd), **more)
    done = subprocess.run(
        words, cwd=cwd, env=variables, capture_output=True, text=True, check=False
    )
    return Ran(done.returncode, done.stdout + done.stderr)


def start_history(folder: Path) -> None:
    """Makes a git repository."""
    _done(command("git", "init", "--quiet", cwd=folder))


def commit(folder: Path, *flags: str) -> None:
    """Makes a commit of everything that is not ignored; ``flags`` are of ``git add``."""
    _done(command("git", "add", "--all", *flags, cwd=folder))
    _done(command("git", "commit", "--quiet", "--allow-empty", "--message", "state", cwd=folder))


def _done(ran: Ran) -> None:
    if ran.code != 0:
        raise RuntimeError(ran.output)


def _write(folder: Path, files: Files) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def _with_steps(files: Files, tag: str) -> dict[str, str | bytes]:
    return {
        name: content if isinstance(content, bytes) else content.replace("@steps@", tag)
        for name, content in files.items()
    }


def _version(folder: Path, number: int) -> None:
    """Commits the template as a version."""
    if not (folder / ".git").exists():
        start_history(folder)
    commit(folder, "--force")  # the project's list of ignored files lies there too
    _done(command("git", "tag", f"v{number}.0.0", cwd=folder))


def _emptied(folder: Path) -> Path:
    """The folder without files, but with its history."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if path.name != ".git":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return folder


class Scaffold:
    """This tool, with the template as its catalogue."""

    name = "scaffold"

    def __init__(self, _cruft: str) -> None:
        pass

    def set_template(self, folder: Path, template: Template) -> None:
        """An axis with an option, and one of two variants."""
        size = f"steps: {{type: int, default: {template.steps}, help: how long, ask: true}}"
        parts = "parts/size/{}", "parts/track/{}"
        axis = "title: {0}\nquestion: {0}?\norder: {1}\n"
        part = "title: {0}\nhelp: {0}\norder: {1}\n"
        declared = {
            parts[0].format("axis.yaml"): axis.format("size", 10),
            parts[0].format("one/part.yaml"): f"{part.format('one', 10)}options:\n  {size}\n",
            parts[1].format("axis.yaml"): axis.format("track", 20),
            parts[1].format("no/part.yaml"): part.format("'no'", 10),
            parts[1].format("yes/part.yaml"): part.format("'yes'", 20),
        }
        below = {
            f"data/{name.replace('.gitignore', 'dot-gitignore')}{_suffix(content)}": content
            for name, content in _with_steps(template.files, "{{ design.size.steps }}").items()
        }
        optional = {f"parts/track/yes/files/{k}": text for k, text in template.optional.items()}
        _write(_emptied(folder), {**declared, **below, **optional})

    def new(self, place: Path, answers: Mapping[str, str]) -> Path:
        """``scaffold new``."""
        sets = [f"{name}={value}" for name, value in answers.items()]
        _done(self._run(place, "new", PROJECT, "--defaults", *_flags("--set", sets)))
        return place / PROJECT

    def answer_by_hand(self, project: Path, answers: Mapping[str, str]) -> None:
        """In scaffold.yaml."""
        _replace_values(project / "scaffold.yaml", answers)

    def update(self, place: Path, project: Path, answers: Mapping[str, str]) -> Ran:
        """``scaffold update``."""
        keys = {"steps": "size.steps", "track": "track"}
        flags = [
            word for name, value in answers.items() for word in ("--set", f"{keys[name]}={value}")
        ]
        return self._run(place, "update", str(project), *flags)

    def _run(self, place: Path, *words: str) -> Ran:
        code = (
            "import sys, pathlib, scaffold.catalogue as c;"
            f" c.default_roots = lambda: (pathlib.Path({str(place / 'template')!r}),);"
            " from scaffold.cli import main; sys.exit(main())"
        )
        return command(sys.executable, "-c", code, *words, cwd=place, PYTHONPATH=str(SOURCE))


class Copier:
    """copier, with a version of the template for each state."""

    name = "copier"

    def __init__(self, _cruft: str) -> None:
        self._versions = 0

    def set_template(self, folder: Path, template: Template) -> None:
        """Questions in copier.yml, and a file whose name is empty without the option."""
        suffix = "{% endif %}"
        questions = {
            "steps": {"type": "int", "default": template.steps},
            "track": {"type": "str", "default": "no"},
            "_templates_suffix": ".jinja",
        }
        answers = "{{ _copier_conf.answers_file }}.jinja"
        optional = {
            f"{{% if track == 'yes' %}}{name}{suffix}": text
            for name, text in template.optional.items()
        }
        files = {
            f"{name}{_suffix(content)}": content
            for name, content in _with_steps(template.files, "{{ steps }}").items()
        }
        own = {"copier.yml": json.dumps(questions), answers: "{{ _copier_answers | to_nice_yaml }}"}
        _write(_emptied(folder), {**own, **files, **optional})
        self._versions += 1
        _version(folder, self._versions)

    def new(self, place: Path, answers: Mapping[str, str]) -> Path:
        """``copier copy``."""
        words = _flags("--data", [f"{name}={value}" for name, value in answers.items()])
        source = str(place / "template")
        _done(self._run(place, "copy", "--defaults", "--quiet", *words, source, PROJECT))
        return place / PROJECT

    def answer_by_hand(self, project: Path, answers: Mapping[str, str]) -> None:
        """In .copier-answers.yml."""
        _replace_values(project / ".copier-answers.yml", answers)

    def update(self, place: Path, project: Path, answers: Mapping[str, str]) -> Ran:
        """``copier update``."""
        words = _flags("--data", [f"{name}={value}" for name, value in answers.items()])
        return self._run(place, "update", "--defaults", *words, str(project))

    def _run(self, place: Path, *words: str) -> Ran:
        return command(sys.executable, "-m", "copier", *words, cwd=place)


class Cruft:
    """cruft, on a template for cookiecutter."""

    name = "cruft"

    def __init__(self, cruft: str) -> None:
        self._cruft = cruft
        self._versions = 0

    def set_template(self, folder: Path, template: Template) -> None:
        """Answers in cookiecutter.json, and a file whose name is empty without the option."""
        questions = {"name": PROJECT, "steps": str(template.steps), "track": "no"}
        root = "{{cookiecutter.name}}"
        optional = {
            f"{root}/{{% if cookiecutter.track == 'yes' %}}{name}{{% endif %}}": text
            for name, text in template.optional.items()
        }
        files = {
            f"{root}/{name}": content
            for name, content in _with_steps(template.files, "{{ cookiecutter.steps }}").items()
        }
        _write(_emptied(folder), {"cookiecutter.json": json.dumps(questions), **files, **optional})
        self._versions += 1
        _version(folder, self._versions)

    def new(self, place: Path, answers: Mapping[str, str]) -> Path:
        """``cruft create``."""
        more = ("--no-input", "--extra-context", json.dumps(answers))
        _done(self._run(place, "create", str(place / "template"), *more))
        return place / PROJECT

    def answer_by_hand(self, project: Path, answers: Mapping[str, str]) -> None:
        """In .cruft.json."""
        path = project / ".cruft.json"
        data = json.loads(path.read_text())
        data["context"]["cookiecutter"].update(answers)
        path.write_text(json.dumps(data, indent=2) + "\n")

    def update(self, place: Path, project: Path, answers: Mapping[str, str]) -> Ran:
        """``cruft update``."""
        more = ("--variables-to-update", json.dumps(answers)) if answers else ()
        words = ("update", "--skip-apply-ask", "--project-dir", str(project), *more)
        return self._run(place, *words)

    def _run(self, place: Path, *words: str) -> Ran:
        return command(self._cruft, *words, cwd=place)


TOOLS = (Scaffold, Copier, Cruft)


def _flags(flag: str, values: Sequence[str]) -> list[str]:
    """The flag before each value."""
    return [word for value in values for word in (flag, value)]


def _suffix(content: str | bytes) -> str:
    """Only what holds a tag is a template."""
    return ".jinja" if isinstance(content, str) and "{{" in content else ""


def _replace_values(path: Path, answers: Mapping[str, str]) -> None:
    text = path.read_text()
    for name, value in answers.items():
        text = re.sub(rf"(\b{name}: )[\w.]+", rf"\g<1>{value}", text)
    path.write_text(text)
