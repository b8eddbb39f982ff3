"""``scaffold pack``: begins, checks and tests the packs of a team."""

import argparse
import importlib
import re
import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from scaffold import exit_codes
from scaffold.destination import find_destination
from scaffold.errors import DestinationError, PackError, UsageError
from scaffold.limits import loosen, tighten
from scaffold.packs.check import check_folder
from scaffold.packs.declaration import ID
from scaffold.packs.load import layered, open_pack
from scaffold.packs.reference import FolderReference
from scaffold.packs.starter import starter
from scaffold.report import Style, to_json
from scaffold.streams import tell
from scaffold.write import write_project

if TYPE_CHECKING:
    from scaffold.packs.trial import Trial


def run(arguments: argparse.Namespace) -> int:
    """Does what was asked of the pack in a folder."""
    folder = Path(arguments.folder)
    match arguments.action:
        case "init":
            return _init(folder)
        case "check":
            return _check(folder, arguments.json)
        case _:
            return _test(folder, arguments)


def _init(folder: Path) -> int:
    """Writes a small pack that works."""
    name = re.sub(r"[^a-z0-9]+", "-", find_destination(folder).path.name.lower()).strip("-")
    pack_id = name if ID.fullmatch(name) else "team"
    if folder.is_dir() and any(folder.iterdir()):
        raise DestinationError(f"{folder} is not empty; give another folder")
    write_project(starter(pack_id), folder)
    text = str(folder)
    named = shlex.quote(f"./{text}" if text.startswith("-") else text)
    tell(
        f"{folder}: a pack to begin with\n\nNext:\n"
        f"  scaffold pack check {named}\n"
        f"  scaffold new my-run --pack {named} --preset team\n"
    )
    return 0


def _check(folder: Path, as_json: bool) -> int:
    """Says everything that is wrong with a pack; exit code 2 if anything is."""
    tighten()
    problems = check_folder(folder)
    if as_json:
        tell(to_json({"pack": str(folder), "problems": problems}))
        return exit_codes.DUE if problems else 0
    _refuse(folder, problems)
    tell(f"{folder}: all is well\n")
    return 0


def _test(folder: Path, arguments: argparse.Namespace) -> int:
    """Checks a pack, and tries it out in projects; exit code 2 if anything is wrong."""
    trial = importlib.import_module("scaffold.packs.trial")
    missing = trial.missing_tools(arguments.train)
    if missing:
        names = " ".join(missing)
        raise PackError([f"not installed here: {names}; python -m pip install {names}"])
    tighten()
    _refuse(folder, check_folder(folder))
    pack = open_pack(FolderReference(str(folder), folder))
    if arguments.train and pack.declaration.id not in arguments.trusted:
        told = f"--train runs what the templates of the pack say: add --trust {pack.declaration.id}"
        raise UsageError(told)
    projects = trial.make_projects(layered([pack]), pack)
    loosen()
    trials = []
    with tempfile.TemporaryDirectory(prefix="scaffold-pack-") as place:
        for number, project in enumerate(projects):
            root = Path(place, str(number))
            root.mkdir(parents=True)
            trials.append(trial.try_out(project, root, Path(place, "type-cache"), arguments.train))
            if not arguments.json:
                tell(trial_text(trials[-1]))
    if arguments.json:
        designs = [
            {"design": dict(item.variants), "problems": list(item.problems)} for item in trials
        ]
        tell(to_json({"pack": str(folder), "trained": arguments.train, "designs": designs}))
    return exit_codes.DUE if any(item.problems for item in trials) else 0


def trial_text(trial: "Trial") -> str:
    """What became of one project; of one that failed, how to make it again."""
    if not trial.problems:
        return f"passed  {trial.title}\n"
    flags = " ".join(f"--set {axis}={variant}" for axis, variant in trial.variants.items())
    design = Style().wrap(f"of: {flags}", 2)
    return "\n  ".join([f"failed  {trial.title}", *trial.problems]) + f"\n{design}\n"


def _refuse(folder: Path, problems: list[str]) -> None:
    if problems:
        raise PackError([f"{len(problems)} problem(s) of the pack {folder}:", *problems])
