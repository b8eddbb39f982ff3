"""``scaffold explain``: why a value is what it is, and what else it could be."""

import argparse
import sys
from pathlib import Path

from scaffold.answers import Reading, read_answers
from scaffold.catalogue import Catalogue, read_catalogue
from scaffold.commands.given import is_given, read_given
from scaffold.decisions import decide
from scaffold.explanation import explain, further_options
from scaffold.parse import parse_design
from scaffold.report import (
    Style,
    decisions_json,
    decisions_text,
    explanation_json,
    explanation_text,
    further_text,
    to_json,
)

DESIGN_FILE = Path("scaffold.yaml")


def run(arguments: argparse.Namespace) -> int:
    """Explains all decisions, or the one that ``key`` names."""
    catalogue = read_catalogue()
    reading = _read(catalogue, arguments)
    design = parse_design(catalogue, reading.answers, reading.problems)
    style = Style.of(sys.stdout)
    if arguments.key is None:
        decisions = decide(catalogue, design)
        further = further_options(catalogue, design, decisions)
        if arguments.json:
            document = {"decisions": decisions_json(decisions), "options": decisions_json(further)}
            sys.stdout.write(to_json(document))
        else:
            sys.stdout.write(decisions_text(decisions, style) + further_text(further, style))
        return 0
    found = explain(catalogue, design, reading.answers, arguments.key)
    sys.stdout.write(explanation_json(found) if arguments.json else explanation_text(found, style))
    return 0


def _read(catalogue: Catalogue, arguments: argparse.Namespace) -> Reading:
    """The answers given, else those of the project in the current folder, else none."""
    if not is_given(arguments) and DESIGN_FILE.is_file():
        return read_answers(catalogue, None, DESIGN_FILE, [])
    return read_given(catalogue, arguments)
