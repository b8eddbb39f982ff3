"""``scaffold presets``: what presets there are."""

import argparse

from scaffold.commands.given import load_given
from scaffold.presets import presets_root, read_presets
from scaffold.report import table_text, to_json
from scaffold.streams import tell


def run(arguments: argparse.Namespace) -> int:
    """Lists the presets, one line each."""
    more = load_given(arguments).presets if arguments.packs else ()
    own = {preset.name: preset for preset in (*read_presets(presets_root()), *more)}
    presets = sorted(own.values(), key=lambda preset: preset.name)
    if arguments.json:
        rows = [{"name": p.name, "title": p.title, "help": p.help} for p in presets]
        tell(to_json({"presets": rows}))
    elif presets:
        tell(table_text([(p.name, f"{p.title}: {p.help}") for p in presets]))
    return 0
