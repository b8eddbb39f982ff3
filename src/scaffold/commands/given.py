"""The answers that a command line gives, read the same way by every command that takes them."""

import argparse
import sys
from pathlib import Path

from scaffold.answers import Reading, read_answers
from scaffold.errors import DesignError, Problem
from scaffold.packs import Loaded, load
from scaffold.presets import find_preset, presets_root
from scaffold.streams import put


def load_given(arguments: argparse.Namespace) -> Loaded:
    """The tool's templates under the packs that a command line names."""
    return load(arguments.packs, Path())


def read_given(loaded: Loaded, arguments: argparse.Namespace, *sets: str) -> Reading:
    """Preset, file and flags (``--set`` and the further ``sets``) merged, with all problems."""
    preset: dict[str, str] | None = None
    problems: list[Problem] = []
    if arguments.preset is not None:
        try:
            preset = dict(find_preset(presets_root(), arguments.preset, loaded.presets).answers)
        except DesignError as error:
            problems += error.problems
    file = None if arguments.answers is None else Path(arguments.answers)
    reading = read_answers(loaded.catalogue, preset, file, [*arguments.sets, *sets])
    tell_names(reading)
    return Reading(reading.answers, (*problems, *reading.problems))


def tell_names(reading: Reading) -> None:
    """Says which answers were taken for others, whose names or values they had before."""
    for event in reading.events:
        put(sys.stderr, f"{event.told} ({event.migration.title}: {event.migration.reason})\n")


def is_given(arguments: argparse.Namespace) -> bool:
    """Whether the command line names any answers."""
    return bool(arguments.preset or arguments.answers or arguments.sets)
