"""A small catalogue whose templates can be changed, and a project made from it to be updated."""

import io
import json
import shutil
import stat
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scaffold import cli
from scaffold.catalogue import read_catalogue
from scaffold.snapshot import read_file

Change = str | bytes | None
STORY = "\n\n\n".join(
    f'def part_{number}() -> int:\n    """Part {number}."""\n    return {number}'
    for number in range(8)
)
TRAIN = f'"""Trains."""\n\nSTEPS = {{{{design.size.steps}}}}\n\n\n{STORY}\n'
TRACK = f'"""Writes down what happens."""\n\n\n{STORY}\n'
LOGO = bytes(range(256))
FILES: Mapping[str, Change] = {
    "parts/size/axis.yaml": "title: Size\nquestion: How large?\norder: 10\n",
    "parts/size/small/part.yaml": """\
title: small
help: Fits anywhere.
order: 10
options:
  steps: {type: int, default: 100, minimum: 1, ask: true, help: how long}
  width: {type: int, default: 64, minimum: 1, ask: true, help: how wide}
  half: {type: int, default: "= width // 2", minimum: 1, help: half of it}
  rate: {type: float, default: 1e-3, help: how fast}
""",
    "parts/color/axis.yaml": "title: Color\nquestion: Which color?\norder: 20\n",
    "parts/color/red/part.yaml": "title: red\nhelp: Warm.\norder: 10\noptions:\n"
    "  shade: {type: int, default: 3, ask: true, help: how dark}\n",
    "parts/color/red/files/src/package/red.py": f'"""Red."""\n\n\n{STORY}\n\nCOLOR = "red"\n',
    "parts/color/blue/part.yaml": "title: blue\nhelp: Cold.\norder: 20\noptions:\n"
    "  depth: {type: int, default: 5, ask: true, help: how deep}\n",
    "parts/color/blue/files/src/package/blue.py": '"""Blue."""\n\nSKY = True\nSEA = True\n',
    "parts/gloss/axis.yaml": "title: Gloss\nquestion: How shiny?\norder: 25\n"
    "when: {color: [red]}\n",
    "parts/gloss/matt/part.yaml": "title: matt\nhelp: Not.\norder: 10\n",
    "parts/gloss/glossy/part.yaml": "title: glossy\nhelp: Very.\norder: 20\n",
    "parts/track/axis.yaml": "title: Track\nquestion: Who writes it down?\norder: 30\n",
    "parts/track/none/part.yaml": "title: nobody\nhelp: Nobody.\norder: 10\n",
    "parts/track/log/part.yaml": "title: a log\nhelp: A log.\norder: 20\n",
    "parts/track/log/files/src/package/track.py": TRACK,
    "frames/src/package/train.py": TRAIN,
    "frames/src/package/plain.py": f'"""Plain."""\n\n\n{STORY}\n',
    "data/dot-gitignore": "/runs/\n",
    "data/go.sh": "#!/bin/sh\nexec python -m train\n",
    "data/logo.bin": LOGO,
    "data/README.md.jinja": "# {{ project.name }}\n\nA run of {{ design.size.steps }} steps.\n",
}
GENERATED = (".scaffold/lock.yaml", ".scaffold/base.tar.bz2")


@dataclass(frozen=True)
class Ran:
    """What a command gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The output as JSON."""
        return json.loads(self.out)

    def verdicts(self) -> dict[str, str]:
        """The verdict of each file."""
        return {file["path"]: file["verdict"] for file in self.json["files"]}

    def conflicts(self) -> list[str]:
        """The paths in conflict."""
        return [conflict["path"] for conflict in self.json["conflicts"]]


class Box:
    """Templates, a project, and the commands of the tool on it."""

    def __init__(self, folder: Path) -> None:
        self.templates = folder / "templates"
        self.project = folder / "project"
        self.set_templates({})

    def set_templates(self, changes: Mapping[str, Change]) -> None:
        """Makes the templates what they were at first, but for these files; None takes one out."""
        shutil.rmtree(self.templates, ignore_errors=True)
        for name, content in {**FILES, **changes}.items():
            if content is not None:
                path = self.templates / name
                path.parent.mkdir(parents=True, exist_ok=True)
                data = content.encode() if isinstance(content, str) else content
                path.write_bytes(data)

    def run(self, *words: str) -> Ran:
        """Runs a command in this process."""
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = cli.main(words)
        return Ran(code, out.getvalue(), err.getvalue())

    def new(self, *sets: str) -> None:
        """Makes the project."""
        flags = [word for text in sets for word in ("--set", text)]
        assert self.run("new", str(self.project), "--defaults", *flags).code == 0

    def update(self, *words: str) -> Ran:
        """Updates the project, with the result as JSON."""
        return self.run("update", str(self.project), "--json", *words)

    def check(self) -> Ran:
        """Checks the project."""
        return self.run("check", str(self.project), "--json")

    def found(self) -> dict[str, str]:
        """The kind of finding of each subject that `check` names."""
        return {item["subject"]: item["kind"] for item in self.check().json["findings"]}

    def path(self, name: str) -> Path:
        """A file of the project."""
        return self.project / name

    def read(self, name: str) -> str:
        """The text of a file of the project, with its line ends."""
        return self.path(name).read_bytes().decode()

    def write(self, name: str, content: str | bytes) -> None:
        """Writes a file of the project, in place."""
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_bytes(content.encode() if isinstance(content, str) else content)

    def replace(self, name: str, old: str, new: str) -> None:
        """Edits a file of the project."""
        text = self.read(name)
        assert old in text
        self.write(name, text.replace(old, new))

    def state(self) -> dict[str, tuple[bytes, int]]:
        """Every file and link of the project, but for what is kept to undo an update."""
        return self.state_of(self.project)

    @staticmethod
    def state_of(folder: Path) -> dict[str, tuple[bytes, int]]:
        """Content and mode of the files of a folder."""
        found = {}
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            file = read_file(path)
            if file is not None and not name.startswith((".scaffold/undo", ".git/")):
                bits = 0 if path.is_symlink() else stat.S_IMODE(path.stat().st_mode)
                found[name] = (file.content, bits)
        return found

    def fresh(self, *sets: str) -> dict[str, tuple[bytes, int]]:
        """The state of a project that is made now with these answers."""
        other = Box.__new__(Box)
        other.templates = self.templates
        other.project = self.project.parent / "fresh" / self.project.name
        shutil.rmtree(other.project, ignore_errors=True)
        other.new(*sets)
        return other.state()

    def digest(self) -> str:
        """What the lock calls the templates."""
        return read_catalogue(self.templates).digest
