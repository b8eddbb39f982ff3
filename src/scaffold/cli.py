"""The command line: what may be typed. Each command is a module of ``scaffold.commands``.

Only argparse is imported here, so that ``scaffold --help`` answers at once.
"""

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol

from scaffold import __version__, exit_codes
from scaffold.errors import ScaffoldError, UsageError
from scaffold.records import has_packs
from scaffold.streams import close, open_streams, put

OF_A_PROJECT = ("explain", "update", "edit", "check")  # commands about the project in a folder
READERS = ("explain", "check", "presets", "completion")  # commands that write no file of yours
SHELLS = ("bash", "zsh", "tcsh")
PACKS = "templates and policy of a team: a folder, git+https://HOST/PATH@REF, or a package"
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


class Parser(argparse.ArgumentParser):
    """Raises UsageError for a command line that it does not know, where argparse would exit."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; `{self.prog} --help` shows what may be given")


class Once(argparse.Action):
    """Takes one value: of two that differ, one would be ignored."""

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        _option: str | None = None,
    ) -> None:
        before = getattr(namespace, self.dest)
        if before not in (None, values):
            raise argparse.ArgumentError(self, f"given twice: {before} and {values}; keep one")
        setattr(namespace, self.dest, values)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command: exit code 0, 2 for what the user can mend, 130 after Ctrl-C."""
    open_streams()
    words = sys.argv[1:] if argv is None else argv
    return _outcome(lambda: _run(words), words)


def _run(words: Sequence[str]) -> int:
    arguments = build_parser().parse_args(words)
    command: Command = importlib.import_module(f"scaffold.commands.{arguments.command}")
    if not _has_packs(arguments):
        return command.run(arguments)
    # What a pack says is worked out in a process that can be ended.
    limits = importlib.import_module("scaffold.limits")
    code: int = limits.limited(lambda: _outcome(lambda: command.run(arguments), words))
    return code


def _has_packs(arguments: argparse.Namespace) -> bool:
    """Whether packs take part: those that are named, or those of the project in question."""
    if arguments.command == "pack":
        return True
    if arguments.command not in OF_A_PROJECT or getattr(arguments, "packs", None):
        return bool(getattr(arguments, "packs", None))
    return has_packs(getattr(arguments, "project", "."))


def _outcome(run: Callable[[], int], words: Sequence[str]) -> int:
    """The exit code of a command, with its errors told."""
    try:
        return run()
    except KeyboardInterrupt as interrupt:
        put(sys.stderr, f"\nInterrupted{_outcome_of(interrupt, words, ': ') or '.'}\n")
        return exit_codes.INTERRUPTED
    except ScaffoldError as error:
        return _report(error, words)
    except OSError as error:
        reason = f"{error.filename or 'standard output'}: {error.strerror or error}"
        told = ScaffoldError(f"{reason}{_outcome_of(error, words, '; ')}")
        if error.filename is None:
            close(sys.stdout)  # the error must not follow it
        return _report(told, words, may_print=error.filename is not None)


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = Parser(
        prog="scaffold",
        description="Asks the design questions of a PyTorch training run and writes the code.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"scaffold {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_new(commands)
    _add_update(commands)
    _add_edit(commands)
    _add_check(commands)
    _add_presets(commands)
    _add_explain(commands)
    _add_pack(commands)
    _add_completion(commands)
    return parser


def _add_new(commands: "argparse._SubParsersAction[Parser]") -> None:
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
    new.add_argument(
        "--name", action=Once, metavar="NAME", help="name of the project (default: from DEST)"
    )
    new.add_argument(
        "--package", action=Once, metavar="PKG", help="name to import (default: from the name)"
    )
    new.add_argument(
        "--dry-run", action="store_true", help="show files and decisions, write nothing"
    )
    new.add_argument("--force", action="store_true", help="write into a folder with files")
    new.add_argument("--git", action="store_true", help="start a git repository")
    _add_json(new)


def _add_update(commands: "argparse._SubParsersAction[Parser]") -> None:
    update = commands.add_parser(
        "update",
        help="apply a changed scaffold.yaml, or newer templates, to a project",
        description=(
            "Makes the project what its scaffold.yaml says, with the installed templates.\n"
            "Your edits are merged; exit code 3 says that conflicts are to be settled."
        ),
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_project(update)
    _add_set(update, "one change of scaffold.yaml, applied at once; may be repeated")
    _add_packs(
        update,
        "a pack in place of the project's one of the same id, or one more",
    )
    update.add_argument(
        "--without-pack",
        metavar="ID",
        action="append",
        default=[],
        dest="without_packs",
        help="take a pack out of the project; may be repeated",
    )
    update.add_argument(
        "--take-defaults",
        action="store_true",
        help="take what newer templates recommend for values that nobody chose",
    )
    update.add_argument(
        "--dry-run", action="store_true", help="show what would change, write nothing"
    )
    update.add_argument(
        "--diff", action="store_true", help="show the changes as a patch, write nothing"
    )
    update.add_argument("--undo", action="store_true", help="take the last update back")
    _add_json(update)


def _add_edit(commands: "argparse._SubParsersAction[Parser]") -> None:
    edit = commands.add_parser(
        "edit",
        help="ask the questions of a project again, and apply the answers",
        description=(
            "Asks the questions again, with the answers given before, and updates the project. "
            "Needs a terminal; `scaffold update --set` is for everywhere else."
        ),
        allow_abbrev=False,
    )
    _add_project(edit)


def _add_check(commands: "argparse._SubParsersAction[Parser]") -> None:
    check = commands.add_parser(
        "check",
        help="say whether a project is what its scaffold.yaml says",
        description=(
            "Exit code 0: it is (files that you edited are fine, and listed); 2: an update is due, "
            "or files are missing; 3: conflicts are not settled. Uses no network without --fetch."
        ),
        allow_abbrev=False,
    )
    _add_project(check)
    check.add_argument(
        "--fetch", action="store_true", help="fetch packs of the project that are not here yet"
    )
    _add_json(check)


def _add_presets(commands: "argparse._SubParsersAction[Parser]") -> None:
    presets = commands.add_parser("presets", help="list the presets", allow_abbrev=False)
    _add_packs(presets)
    _add_json(presets)


def _add_explain(commands: "argparse._SubParsersAction[Parser]") -> None:
    explain = commands.add_parser(
        "explain",
        help="say why a value is what it is, and what else it could be",
        description=(
            "Explains the decisions of a design: of the answers given, else of the project in the\n"
            "current folder, else of the default design. With KEY, one and its alternatives."
        ),
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    explain.add_argument("key", metavar="KEY", nargs="?", help="an axis, an option or a number")
    _add_answers(explain)
    _add_json(explain)


def _add_pack(commands: "argparse._SubParsersAction[Parser]") -> None:
    pack = commands.add_parser(
        "pack",
        help="begin, check or test a pack: templates and policy of a team",
        allow_abbrev=False,
    )
    actions = pack.add_subparsers(dest="action", metavar="ACTION", required=True)
    init = actions.add_parser("init", help="write a small pack that works", allow_abbrev=False)
    init.add_argument("folder", metavar="DIR", help="folder to make")
    check = actions.add_parser(
        "check", help="say everything that is wrong with a pack", allow_abbrev=False
    )
    check.add_argument("folder", metavar="DIR", help="the pack")
    _add_json(check)
    test = actions.add_parser(
        "test",
        help="make projects with every choice of a pack, lint and type-check them",
        allow_abbrev=False,
    )
    test.add_argument("folder", metavar="DIR", help="the pack")
    test.add_argument("--train", action="store_true", help="train each for a few steps")
    test.add_argument(
        "--trust",
        metavar="ID",
        action="append",
        default=[],
        dest="trusted",
        help="a pack whose templates may be run, for --train",
    )
    _add_json(test)


def _add_completion(commands: "argparse._SubParsersAction[Parser]") -> None:
    completion = commands.add_parser(
        "completion", help="print the completion script of a shell", allow_abbrev=False
    )
    completion.add_argument("shell", choices=SHELLS)


def _add_packs(parser: argparse.ArgumentParser, help_text: str = PACKS) -> None:
    parser.add_argument(
        "--pack",
        metavar="PACK",
        action="append",
        default=[],
        dest="packs",
        help=help_text,
    )


def _add_answers(parser: argparse.ArgumentParser) -> None:
    _add_packs(parser)
    parser.add_argument("--preset", action=Once, metavar="NAME", help="start from a preset")
    parser.add_argument("--answers", action=Once, metavar="FILE", help="YAML file of answers")
    _add_set(parser, "one answer; may be repeated, and overrides preset and file")


def _add_set(parser: argparse.ArgumentParser, help_text: str) -> None:
    parser.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], dest="sets", help=help_text
    )


def _add_project(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "project", metavar="DIR", nargs="?", default=".", help="the project (default: this folder)"
    )


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _outcome_of(error: BaseException, words: Sequence[str], separator: str) -> str:
    """How far the command had come, as was added to the error on its way; empty for readers."""
    notes = " ".join(getattr(error, "__notes__", ()))
    if not notes and _might_write(words):
        notes = "nothing is written."
    return f"{separator}{notes}" if notes else ""


def _might_write(words: Sequence[str]) -> bool:
    return not words or words[0] not in READERS


def _report(error: ScaffoldError, words: Sequence[str], *, may_print: bool = True) -> int:
    report = importlib.import_module("scaffold.report")
    as_json = "--json" in words and may_print
    if not as_json or not put(sys.stdout, report.error_json(error)):
        style = report.Style.of(sys.stderr)
        put(sys.stderr, report.error_text(error, style, might_write=_might_write(words)))
    return exit_codes.USER_ERROR


if __name__ == "__main__":
    sys.exit(main())
