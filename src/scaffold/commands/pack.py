"""``scaffold pack``: begins, checks and tests the packs of a team."""

import argparse
import re
import sys
from pathlib import Path

from scaffold.destination import find_destination
from scaffold.errors import PackError
from scaffold.limits import tighten
from scaffold.packs.check import check_folder
from scaffold.packs.declaration import ID
from scaffold.packs.starter import starter
from scaffold.report import to_json
from scaffold.write import write_project


def run(arguments: argparse.Namespace) -> int:
    """Does what was asked of the pack in a folder."""
    folder = Path(arguments.folder)
    return _init(folder) if arguments.action == "init" else _check(folder, arguments.json)


def _init(folder: Path) -> int:
    """Writes a small pack that works."""
    name = re.sub(r"[^a-z0-9]+", "-", find_destination(folder).path.name.lower()).strip("-")
    pack_id = name if ID.fullmatch(name) else "team"
    write_project(starter(pack_id), folder)
    sys.stdout.write(
        f"{folder}: a pack to begin with\n\nNext:\n"
        f"  scaffold pack check {folder}\n"
        f"  scaffold new my-run --pack {folder} --preset team\n"
    )
    return 0


def _check(folder: Path, as_json: bool) -> int:
    """Says everything that is wrong with a pack; exit code 2 if anything is."""
    tighten()
    problems = check_folder(folder)
    if as_json:
        sys.stdout.write(to_json({"pack": str(folder), "problems": problems}))
        return 2 if problems else 0
    if problems:
        raise PackError([f"{len(problems)} problem(s) of the pack {folder}:", *problems])
    sys.stdout.write(f"{folder}: all is well\n")
    return 0
