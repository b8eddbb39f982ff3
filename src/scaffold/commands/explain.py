"""``scaffold explain``: why a value is what it is, and what else it could be."""

import argparse
import sys
from pathlib import Path

from scaffold.answers import read_answers
from scaffold.commands.given import is_given, load_given, read_given, tell_names
from scaffold.decisions import decide
from scaffold.explanation import explain, further_options
from scaffold.lock import read_lock
from scaffold.packs import Loaded, load_locked
from scaffold.parse import parse_design
from scaffold.records import DESIGN_PATH, LOCK_PATH, has_packs
from scaffold.report import (
    Style,
    decisions_json,
    decisions_text,
    explanation_json,
    explanation_text,
    further_text,
    to_json,
)
from scaffold.streams import tell

DESIGN_FILE = Path(DESIGN_PATH)
LOCK_FILE = Path(LOCK_PATH)


def run(arguments: argparse.Namespace) -> int:
    """Explains all decisions, or the one that ``key`` names."""
    is_project = not is_given(arguments) and DESIGN_FILE.is_file()
    loaded = _load(arguments, is_project)
    catalogue = loaded.catalogue
    if is_project:
        reading = read_answers(catalogue, None, DESIGN_FILE, [])
        tell_names(reading)
    else:
        reading = read_given(loaded, arguments)
    design = parse_design(catalogue, reading.answers, reading.problems)
    style = Style.of(sys.stdout)
    if arguments.key is None:
        decisions = decide(catalogue, design)
        further = further_options(catalogue, design, decisions)
        if arguments.json:
            document = {"decisions": decisions_json(decisions), "options": decisions_json(further)}
            tell(to_json(document))
        else:
            tell(decisions_text(decisions, style) + further_text(further, style))
        return 0
    found = explain(catalogue, design, reading.answers, arguments.key)
    tell(explanation_json(found) if arguments.json else explanation_text(found, style))
    return 0


def _load(arguments: argparse.Namespace, is_project: bool) -> Loaded:
    """The packs that are named, else those of the project in the current folder."""
    if arguments.packs or not is_project or not has_packs(Path()):
        return load_given(arguments)
    lock = read_lock(LOCK_FILE.read_bytes().decode(errors="replace"))
    return load_locked(lock.packs, Path(), pinned=True, may_fetch=False)
