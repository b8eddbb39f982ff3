"""``scaffold presets``: what presets there are."""

import argparse
import sys

from scaffold.presets import presets_root, read_presets
from scaffold.report import table_text, to_json


def run(arguments: argparse.Namespace) -> int:
    """Lists the presets, one line each."""
    presets = read_presets(presets_root())
    if arguments.json:
        rows = [{"name": p.name, "title": p.title, "help": p.help} for p in presets]
        sys.stdout.write(to_json({"presets": rows}))
    elif presets:
        sys.stdout.write(table_text([(p.name, f"{p.title}: {p.help}") for p in presets]))
    return 0
