"""Small packs on disk, and the tool run on them as its user would."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from toy import answered

from scaffold.decisions import decide
from scaffold.estimates import estimate
from scaffold.packs import Loaded
from scaffold.parse import parse_design
from scaffold.plan import make_plan
from scaffold.render import Tree, render

PACK = """\
id: acme
version: "1.2"
title: Acme's standard
"""
RUN = (
    "import sys; import scaffold.limits as limits; limits.CPU_SECONDS = {seconds}; "
    "from scaffold.cli import main; sys.exit(main(sys.argv[1:]))"
)


def write_pack(root: Path, files: Mapping[str, str | bytes] | None = None, more: str = "") -> Path:
    """Writes a pack to a folder: pack.yaml, with more lines, and files."""
    for path, text in {"pack.yaml": PACK + more, **(files or {})}.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def scaffold(
    folder: Path, *words: str, seconds: int = 20, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs the tool in a folder; templates may compute so many seconds."""
    return subprocess.run(
        [sys.executable, "-c", RUN.format(seconds=seconds), *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def contents(root: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def render_design(loaded: Loaded, **answers: str) -> Tree:
    """The files of a design; ``launch__account`` answers ``launch.account``."""
    design = parse_design(
        loaded.catalogue,
        answered({key.replace("__", "."): value for key, value in answers.items()}),
    )
    catalogue = loaded.catalogue
    return render(
        make_plan(catalogue, design, decide(catalogue, design), estimate(catalogue, design))
    )
