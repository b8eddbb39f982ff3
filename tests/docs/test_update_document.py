"""The session of docs/update.md is what is printed."""

import os
import re
import subprocess
import sys
from pathlib import Path

from scaffold.base import read_base
from scaffold.records import BASE_PATH, DESIGN_PATH, LOCK_PATH

SESSION = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_session_is_what_is_printed(repository: Path, tmp_path: Path) -> None:
    script = tmp_path / "bin" / "scaffold"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m scaffold "$@"\n')
    script.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(repository / "src"),
    }
    sessions = SESSION.findall((repository / "docs" / "update.md").read_text(encoding="utf-8"))
    assert len(sessions) == 3
    make_older(repository / "tests/update/versions/0/image", tmp_path / "digits")
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(sessions), re.MULTILINE)
    folder = tmp_path
    for command, shown in commands:
        if command.startswith("cd "):
            folder = folder / command.removeprefix("cd ")
            continue
        ran = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert _plain(ran.stdout + ran.stderr) == _plain(shown), command


def make_older(recorded: Path, project: Path) -> None:
    """The project that a version recorded."""
    base = (recorded / "base.tar.bz2").read_bytes()
    files = {path: file.content for path, file in read_base(base).items()}
    own = {DESIGN_PATH: "scaffold.yaml", LOCK_PATH: "lock.yaml", BASE_PATH: "base.tar.bz2"}
    files |= {path: (recorded / name).read_bytes() for path, name in own.items()}
    for path, content in files.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_bytes(content)
    for path, file in read_base(base).items():
        (project / path).chmod(file.mode)


def _plain(text: str) -> str:
    """Without the numbers of lines, which every change of a template changes."""
    return re.sub(r"  \+\d+ -\d+$", "", text, flags=re.MULTILINE)
