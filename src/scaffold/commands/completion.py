"""``scaffold completion``: the completion script of a shell."""

import argparse

import shtab

from scaffold.cli import build_parser
from scaffold.streams import hand_over


def run(arguments: argparse.Namespace) -> int:
    """Prints the script; the user's shell reads it at start."""
    script = shtab.complete(build_parser(), arguments.shell)
    hand_over(script.rstrip("\n") + "\n")
    return 0
