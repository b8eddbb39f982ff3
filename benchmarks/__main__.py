"""The command line of the benchmarks; each one is a module with ``add_arguments`` and ``run``."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Protocol

BENCHMARKS = {
    "new": "time of `scaffold new` against copier and cookiecutter",
    "update": "time of `scaffold update` against copier",
    "edits": "what updates of three tools make of their owner's work",
    "conflicts": "how often updates of edited projects conflict",
    "render": "time of a warm render in memory",
    "step": "time and memory of a training step against transformers",
    "shakespeare": "validation loss of the preset shakespeare against nanoGPT's",
    "demo": "validation loss of the preset pydoc-lm against a 3-gram model",
}
QUICK = ("new", "render")


class Benchmark(Protocol):
    """A module of this package."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declares the arguments of this benchmark."""

    def run(self, arguments: argparse.Namespace) -> bool:
        """Measures and prints; returns whether the goals are met."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one benchmark, or the quick ones; exit code 1 says that a goal is missed."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words:
        return 0 if _run(words) else 1
    # A list, since all are to run whatever the first one says.
    return 0 if all([_run([name]) for name in QUICK]) else 1


def _run(words: Sequence[str]) -> bool:
    parser = argparse.ArgumentParser(
        prog="benchmarks",
        description=f"Without a name, the quick ones run: {', '.join(QUICK)}.",
        allow_abbrev=False,
    )
    names = parser.add_subparsers(dest="name", metavar="NAME", required=True)
    modules: dict[str, Benchmark] = {}
    for name, text in BENCHMARKS.items():
        module: Benchmark = importlib.import_module(f"benchmarks.{name}")
        module.add_arguments(names.add_parser(name, help=text, description=text))
        modules[name] = module
    arguments = parser.parse_args(words)
    return modules[arguments.name].run(arguments)


if __name__ == "__main__":
    sys.exit(main())
