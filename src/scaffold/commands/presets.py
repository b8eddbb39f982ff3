"""``scaffold presets``: what presets there are."""

import argparse
import sys

from scaffold.commands.given import load_given
from scaffold.presets import presets_root, read_presets
from scaffold.report import table_text, to_json


def run(arguments: argparse.Namespace) -> int:
    """Lists the presets, one line each."""
    more = load_given(arguments).presets if arguments.packs else ()
    own = {preset.name: preset for preset in (*read_presets(presets_root()), *more)}
    presets = sorted(own.values(), key=lambda preset: preset.name)
    if arguments.json:
        rows = [{"name": p.name, "title": p.title, "help": p.help} for p in presets]
        sys.stdout.write(to_json({"presets": rows}))
    elif presets:
        sys.stdout.write(table_text([(p.name, f"{p.title}: {p.help}") for p in presets]))
    return 0
