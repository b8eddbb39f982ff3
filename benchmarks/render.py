"""Rendering a whole project in memory, when everything that can be cached is."""

import argparse
import statistics

from benchmarks.measure import MILLISECONDS, interleaved, machine, median_text, verdict
from scaffold.answers import Answer
from scaffold.catalogue import read_catalogue
from scaffold.decisions import decide
from scaffold.estimates import estimate
from scaffold.lock import seal
from scaffold.parse import parse_design
from scaffold.plan import make_plan
from scaffold.presets import find_preset, presets_root
from scaffold.render import render

GOAL = 50  # milliseconds, so that a preview can follow every answer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares how often, and what, to render."""
    parser.add_argument("--rounds", type=int, default=50, help="renders (default: 50)")
    parser.add_argument("--preset", default="gpu-lm", help="preset (default: gpu-lm)")


def run(arguments: argparse.Namespace) -> bool:
    """Times the stages from answers to a tree, and prints their medians."""
    catalogue = read_catalogue()
    preset = find_preset(presets_root(), arguments.preset)
    answers = {key: Answer(text, "preset") for key, text in preset.answers.items()}
    design = parse_design(catalogue, answers)
    numbers = estimate(catalogue, design)
    decisions = decide(catalogue, design)
    plan = make_plan(catalogue, design, decisions, numbers)
    tree = render(plan)

    def preview() -> None:
        fresh = parse_design(catalogue, answers)
        render(make_plan(catalogue, fresh, decide(catalogue, fresh), estimate(catalogue, fresh)))

    times = interleaved(
        {
            "answers to tree": preview,
            "parse": lambda: _ignore(parse_design(catalogue, answers)),
            "decide": lambda: _ignore(decide(catalogue, design), estimate(catalogue, design)),
            "plan": lambda: _ignore(make_plan(catalogue, design, decisions, numbers)),
            "render": lambda: _ignore(render(plan)),
            "lock and archive": lambda: _ignore(seal(catalogue, plan, tree)),
            "(once) catalogue": lambda: _ignore(read_catalogue()),
        },
        arguments.rounds,
    )
    print(f"render: {len(tree)} files of {arguments.preset}; {machine()}")
    for stage, each in times.items():
        print(f"  {stage:17} {median_text(each.wall)}")
    milliseconds = statistics.median(times["answers to tree"].wall) * MILLISECONDS
    return verdict("  answers to tree, milliseconds", milliseconds, GOAL, digits=1)


def _ignore(*_results: object) -> None:
    """Takes results that only their time is wanted of."""
