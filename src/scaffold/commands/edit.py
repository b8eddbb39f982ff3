"""``scaffold edit``: the questions of a project again, with the answers from before."""

import argparse
import importlib
import sys
from pathlib import Path

from scaffold import transaction
from scaffold.answers import Answer, Answers
from scaffold.applied import find_project, read_applied, read_design_text, written_values
from scaffold.catalogue import Catalogue
from scaffold.commands.update import finish
from scaffold.design import Value
from scaffold.equivalent import flag_text
from scaffold.errors import DesignError, DestinationError, UsageError
from scaffold.keys import PROJECT_KEYS
from scaffold.migrated import Current, bring
from scaffold.packs import load_locked
from scaffold.records import DESIGN_PATH
from scaffold.report import Style, error_text
from scaffold.revision import flat_values, revise
from scaffold.streams import is_terminal
from scaffold.update import plan_update
from scaffold.update_report import revision_text, update_text


def run(arguments: argparse.Namespace) -> int:
    """Asks, and applies the answers; raises ScaffoldError, and then nothing is written."""
    project = find_project(Path(arguments.project))
    if not is_terminal():
        raise UsageError("edit asks on a terminal; elsewhere use `scaffold update --set KEY=VALUE`")
    style = Style.of(sys.stdout)
    with transaction.only_writer(project):
        applied = read_applied(project)
        loaded = load_locked(applied.lock.packs, project, pinned=False)
        catalogue = loaded.catalogue
        text_before = read_design_text(project)
        current = bring(catalogue, applied.lock, written_values(text_before))
        earlier = _earlier(catalogue, current)
        named = {key: Answer(earlier[key], "file") for key in PROJECT_KEYS if key in earlier}

        def summarize(answers: Answers) -> str:
            try:
                revision = revise(catalogue, current.lock, current.written, _flags(answers))
            except DesignError as error:  # an option that is not asked for is in the way
                return error_text(error, style)
            return revision_text(revision, style)

        ask = importlib.import_module("scaffold.ask")
        answers: Answers = ask.ask_design(catalogue, named, summarize, earlier)
        if read_design_text(project) != text_before:  # the answers would take its changes back
            raise DestinationError(f"{DESIGN_PATH} was changed while you answered; run it again")
        update = plan_update(loaded, applied, project, _flags(answers), take_defaults=False)
        text = update_text(update, is_written=True, style=style)
        return finish(project, update.steps, text, update.conflicts)


def _earlier(catalogue: Catalogue, current: Current) -> dict[str, Value]:
    """What was chosen before: other values are at what is recommended, and follow it."""
    lock = current.lock
    revision = revise(catalogue, lock, current.written, {})
    locked = flat_values(lock.project, lock.choices)
    chosen = {
        key: value
        for key, value in flat_values(revision.design.project, revision.design.choices).items()
        if key not in lock.at_default or value != locked.get(key)
    }
    return {**revision.remembered, **chosen}


def _flags(answers: Answers) -> dict[str, str]:
    return {
        key: flag_text(answer.value) for key, answer in answers.items() if key not in PROJECT_KEYS
    }
