"""``scaffold completion``: the completion script of a shell."""

import argparse
import sys

import shtab

from scaffold.cli import build_parser


def run(arguments: argparse.Namespace) -> int:
    """Prints the script; the user's shell reads it at start."""
    script = shtab.complete(build_parser(), arguments.shell)
    sys.stdout.write(script.rstrip("\n") + "\n")
    return 0
