"""Runs ``plan_ranks.py`` on a design, in processes of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rendering import render_answers, write_tree

from scaffold.catalogue import Catalogue
from scaffold.design import Value

DRIVER = Path(__file__).with_name("plan_ranks.py")


def train(
    catalogue: Catalogue, answers: Mapping[str, Value], worlds: tuple[int, ...], folder: Path
) -> list[dict[str, Any]]:
    """What the driver reports of a design on each number of ranks; it must have no complaint."""
    rendering = render_answers(catalogue, answers)
    write_tree(rendering.tree, folder)
    result = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore:saved by",  # other numbers of ranks, which is meant
            str(DRIVER),
            str(folder),
            rendering.design.project.package,
            *map(str, worlds),
        ],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    return [json.loads(line) for line in result.stdout.splitlines()]
