"""The command line: what may be typed. Each command is a module of ``scaffold.commands``.

Only argparse is imported here, so that ``scaffold --help`` answers at once.
"""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import Protocol

from scaffold import __version__
from scaffold.errors import ScaffoldError

EXIT_USER_ERROR = 2
EXIT_INTERRUPTED = 128 + signal.SIGINT
SHELLS = ("bash", "zsh", "tcsh")
EPILOG = """\
keys of --set and of answer files:
  AXIS=VARIANT               such as  --set optimizer=muon
  AXIS.OPTION=VALUE          such as  --set task.n_layers=12
  `scaffold explain` lists them all with their values and reasons.
"""


class Command(Protocol):
    """A module of ``scaffold.commands``."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Does what was asked and returns the exit code; raises ScaffoldError."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command: exit code 0, 2 for what the user can mend, 130 after Ctrl-C."""
    arguments = build_parser().parse_args(argv)
    try:
        command: Command = importlib.import_module(f"scaffold.commands.{arguments.command}")
        code = command.run(arguments)
        sys.stdout.flush()
    except ScaffoldError as error:
        return _report(error, arguments.json)
    except KeyboardInterrupt as interrupt:
        notes = getattr(interrupt, "__notes__", None) or ["nothing is written."]
        print(f"\nInterrupted: {' '.join(notes)}", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader has gone; what is left in the buffer must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="scaffold",
        description="Asks the design questions of a PyTorch training run and writes the code.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"scaffold {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_new(commands)
    _add_presets(commands)
    _add_explain(commands)
    _add_completion(commands)
    return parser


def _add_new(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    new = commands.add_parser(
        "new",
        help="make a project",
        description=(
            "Makes a project in DEST. Asks on a terminal if no answers are given. Otherwise every\n"
            "axis with more than one possible variant must be answered, by file or flag, unless\n"
            "--preset or --defaults settles what is open. Options have defaults always."
        ),
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    new.add_argument(
        "destination", metavar="DEST", help="folder to make; its name names the project"
    )
    _add_answers(new)
    new.add_argument(
        "--defaults", action="store_true", help="take the default for all that is open"
    )
    new.add_argument("--name", metavar="NAME", help="name of the project (default: from DEST)")
    new.add_argument("--package", metavar="PKG", help="name to import (default: from the name)")
    new.add_argument(
        "--dry-run", action="store_true", help="show files and decisions, write nothing"
    )
    new.add_argument("--force", action="store_true", help="write into a folder with files")
    new.add_argument("--git", action="store_true", help="start a git repository")
    _add_json(new)


def _add_presets(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    presets = commands.add_parser("presets", help="list the presets", allow_abbrev=False)
    _add_json(presets)


def _add_explain(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    explain = commands.add_parser(
        "explain",
        help="say why a value is what it is, and what else it could be",
        description=(
            "Explains the decisions of a design: of the answers given, else of the project in the "
            "current folder, else of the default design. With KEY, one and its alternatives."
        ),
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    explain.add_argument("key", metavar="KEY", nargs="?", help="an axis, an option or a number")
    _add_answers(explain)
    _add_json(explain)


def _add_completion(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    completion = commands.add_parser(
        "completion", help="print the completion script of a shell", allow_abbrev=False
    )
    completion.add_argument("shell", choices=SHELLS)
    completion.set_defaults(json=False)


def _add_answers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--preset", metavar="NAME", help="start from a preset")
    parser.add_argument("--answers", metavar="FILE", help="YAML file of answers")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        dest="sets",
        help="one answer; may be repeated, and overrides preset and file",
    )


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _report(error: ScaffoldError, as_json: bool) -> int:
    report = importlib.import_module("scaffold.report")
    if as_json:
        sys.stdout.write(report.error_json(error))
    else:
        sys.stderr.write(report.error_text(error, report.Style.of(sys.stderr)))
    return EXIT_USER_ERROR


if __name__ == "__main__":
    sys.exit(main())
