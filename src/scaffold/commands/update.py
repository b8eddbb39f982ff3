"""``scaffold update``: the project becomes what its scaffold.yaml says, with every edit kept."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from scaffold import exit_codes, transaction
from scaffold.answers import read_flags
from scaffold.applied import find_project, read_applied
from scaffold.errors import DesignError, UsageError
from scaffold.packs.replaced import load_replaced
from scaffold.report import Style, to_json
from scaffold.streams import hand_over, tell
from scaffold.update import plan_update
from scaffold.update_report import patch_text, update_json, update_text

NOT_WITH_UNDO = ("sets", "packs", "without_packs", "take_defaults", "dry_run", "diff")


def run(arguments: argparse.Namespace) -> int:
    """Updates a project, or shows what would change; raises ScaffoldError, and nothing is written.

    The exit code is 3 where conflicts are to be settled.
    """
    project = find_project(Path(arguments.project))
    if arguments.undo:
        return _undo(project, arguments)
    flags, problems = read_flags(arguments.sets)
    with transaction.only_writer(project):
        applied = read_applied(project)
        loaded = load_replaced(
            applied.lock.packs, project, arguments.packs, arguments.without_packs
        )
        try:
            update = plan_update(
                loaded, applied, project, flags, take_defaults=arguments.take_defaults
            )
        except DesignError as error:
            raise DesignError([*problems, *error.problems]) from None
        if problems:
            raise DesignError(problems)
        is_preview = arguments.dry_run or arguments.diff
        if arguments.json:
            text = update_json(update, is_written=not is_preview)
        elif arguments.diff:
            text = patch_text(update)
        else:
            text = update_text(update, is_written=not is_preview, style=Style.of(sys.stdout))
        if is_preview:
            (hand_over if arguments.diff else tell)(text)
            return exit_codes.CONFLICTS if update.conflicts else 0
        return finish(project, update.steps, text, update.conflicts)


def finish(
    project: Path, steps: Sequence[transaction.Step], text: str, conflicts: Mapping[str, str]
) -> int:
    """Does the steps and tells of them; the exit code says whether there are conflicts."""
    is_applied = False
    try:
        if steps:
            transaction.apply(project, steps)
            is_applied = True
        tell(text)
    except (KeyboardInterrupt, OSError) as stop:
        if is_applied:
            stop.add_note("the update is applied.")
        raise
    return exit_codes.CONFLICTS if conflicts else 0


def _undo(project: Path, arguments: argparse.Namespace) -> int:
    if any(getattr(arguments, name) for name in NOT_WITH_UNDO):
        raise UsageError("--undo goes with no other flag but --json")
    with transaction.only_writer(project):
        steps = transaction.read_undo(project)
        transaction.apply(project, steps, keep_undo=False)
    paths = [step.path for step in steps if not step.path.startswith(".scaffold/")]
    if arguments.json:
        tell(to_json({"undone": paths}))
    else:
        listed = "".join(f"  {path}\n" for path in paths)
        tell(f"The last update is undone{':' if paths else '.'}\n{listed}")
    return 0
