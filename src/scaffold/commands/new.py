"""``scaffold new``: answers in, a repository out; nothing is written before everything holds."""

import argparse
import importlib
import sys
from pathlib import Path

from scaffold.answers import ANSWERS_FLAG, Answer, Answers
from scaffold.catalogue import Catalogue
from scaffold.commands.given import is_given, load_given, read_given
from scaffold.decisions import decide
from scaffold.destination import find_destination, not_empty_error
from scaffold.equivalent import Basis, equivalent_command
from scaffold.errors import DestinationError, Problem
from scaffold.estimates import estimate
from scaffold.lock import seal
from scaffold.migrate import migrate
from scaffold.naming import name_from
from scaffold.next_steps import next_steps
from scaffold.packs import Loaded, make_tree
from scaffold.parse import parse_design
from scaffold.plan import make_plan
from scaffold.presets import find_preset, presets_root
from scaffold.questions import missing_answers
from scaffold.report import Made, Style, made_json, made_text, summary_text
from scaffold.streams import is_terminal, tell
from scaffold.write import is_written, write_project


def run(arguments: argparse.Namespace) -> int:
    """Makes a project; raises ScaffoldError, and then nothing is written."""
    destination = Path(arguments.destination)
    _check_destination(destination, arguments)
    loaded = load_given(arguments)
    catalogue = loaded.catalogue
    named = {"project.name": Answer(_name(destination), "default")}
    design = parse_design(catalogue, *_read_or_ask(loaded, arguments, named))
    decisions = decide(catalogue, design)
    plan = make_plan(catalogue, design, decisions, estimate(catalogue, design))
    tree = seal(catalogue, plan, make_tree(loaded, plan), loaded.recorded(destination))
    made = Made(
        destination=arguments.destination,
        is_written=not arguments.dry_run,
        sizes={path: len(file.content) for path, file in tree.items()},
        commands=next_steps(plan, arguments.destination),
        equivalent=equivalent_command(
            catalogue,
            design,
            named,
            arguments.destination,
            _basis(loaded, arguments),
        ),
    )
    if arguments.json:
        modes = {path: file.mode for path, file in tree.items()}
        text = made_json(made, design, decisions, modes)
    else:
        text = made_text(made, decisions, Style.of(sys.stdout))
    missing = ", but not committed to git" if arguments.git else ""
    try:
        if not arguments.dry_run:
            write_project(tree, destination, force=arguments.force)
            if arguments.git:
                importlib.import_module("scaffold.repository").start(destination)
                missing = ""
        tell(text)
    except (KeyboardInterrupt, OSError) as stop:
        if not arguments.dry_run and is_written(tree, destination):
            stop.add_note(f"the project is in {destination}{missing}.")
        raise
    return 0


def _basis(loaded: Loaded, arguments: argparse.Namespace) -> Basis:
    """The packs and the preset that were named, with its answers under today's names."""
    if arguments.preset is None:
        return Basis(loaded.references)
    answers = find_preset(presets_root(), arguments.preset, loaded.presets).answers
    texts = migrate(loaded.catalogue.migrations, {}, answers).texts
    return Basis(loaded.references, arguments.preset, texts)


def _check_destination(destination: Path, arguments: argparse.Namespace) -> None:
    """Finds out before the first question that nothing could be written in the end."""
    if not arguments.destination:
        raise DestinationError("DEST is empty; name a folder (`.` is the one you are in)")
    if arguments.dry_run:
        return
    found = find_destination(destination)
    if found.root is None and not arguments.force and any(found.path.iterdir()):
        raise not_empty_error(destination)
    if arguments.git:
        importlib.import_module("scaffold.repository").check(found.path)


def _read_or_ask(
    loaded: Loaded, arguments: argparse.Namespace, named: Answers
) -> tuple[Answers, tuple[Problem, ...]]:
    """The answers of the command line, or of a person at a terminal, with what is wrong so far."""
    flags = [
        f"project.{key}={value}"
        for key, value in (("name", arguments.name), ("package", arguments.package))
        if value is not None
    ]
    catalogue = loaded.catalogue
    reading = read_given(loaded, arguments, *flags)
    answers = {**named, **reading.answers}
    if is_given(arguments) or arguments.defaults or not _is_terminal(arguments):
        is_open = arguments.defaults or arguments.preset is not None
        # A file that cannot be read may answer anything: it is the only problem, not one of many.
        is_unread = any(problem.key == ANSWERS_FLAG for problem in reading.problems)
        missing = () if is_open or is_unread else tuple(missing_answers(catalogue, answers))
        return answers, (*reading.problems, *missing)
    parse_design(catalogue, answers, reading.problems)  # a bad --name must not wait for the end
    ask = importlib.import_module("scaffold.ask")
    asked: Answers = ask.ask_design(catalogue, answers, lambda given: _review(catalogue, given))
    return asked, ()


def _review(catalogue: Catalogue, answers: Answers) -> str:
    design = parse_design(catalogue, answers)
    return summary_text(design, decide(catalogue, design), Style.of(sys.stdout))


def _is_terminal(arguments: argparse.Namespace) -> bool:
    return is_terminal() and not arguments.json


def _name(destination: Path) -> str:
    """The name that the destination suggests, also for ``.`` and ``..``."""
    return name_from(
        destination.name
        if destination.name not in ("", "..")
        else find_destination(destination).path.name
    )
