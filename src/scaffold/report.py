"""How designs, decisions, problems and trees are shown: as text for people, as JSON for programs.

Text depends on nothing but what is shown: a terminal adds bold letters and its width, both through
``Style``, and a pipe gets the same bytes everywhere.
"""

import json
import os
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TextIO

from scaffold.decisions import DERIVED, Decision
from scaffold.design import Design
from scaffold.errors import DesignError, ScaffoldError
from scaffold.keys import shown
from scaffold.streams import BOLD, NOT_BOLD
from scaffold.units import bytes_text, quantity

if TYPE_CHECKING:
    # `new`, which explains nothing, need not wait for it.
    from scaffold.explanation import Explanation

PIPE_WIDTH = 100
NARROWEST = 40
NAME_WIDTH = 26
# Not worth a mark: what nobody decided, and, where all was asked, what was answered.
UNMARKED = ("default", "asked", DERIVED)


@dataclass(frozen=True)
class Style:
    """How text is set: its width in columns, and whether headings may be bold."""

    width: int = PIPE_WIDTH
    bold: bool = False

    @classmethod
    def of(cls, stream: TextIO, environment: Mapping[str, str] = os.environ) -> "Style":
        """The style for a stream: plain for a pipe, with NO_COLOR, and on a dumb terminal."""
        if not stream.isatty():
            return cls()
        width = shutil.get_terminal_size((PIPE_WIDTH, 24)).columns
        bold = not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
        return cls(max(NARROWEST, min(width, PIPE_WIDTH)), bold)

    def heading(self, text: str) -> str:
        """A line that stands out."""
        return f"{BOLD}{text}{NOT_BOLD}" if self.bold else text

    def wrap(self, text: str, indent: int) -> str:
        """A paragraph, indented."""
        space = " " * indent
        return textwrap.fill(
            text,
            self.width,
            initial_indent=space,
            subsequent_indent=space,
            break_long_words=False,
            break_on_hyphens=False,
        )


@dataclass(frozen=True)
class Made:
    """What ``scaffold new`` made, or would make: sizes in bytes by path, and how to go on."""

    destination: str
    is_written: bool
    sizes: Mapping[str, int]
    commands: Sequence[tuple[str, str]]  # (what to run, what it does)
    equivalent: str


def decisions_text(decisions: Sequence[Decision], style: Style) -> str:
    """The decisions, each with its reason; what is no default is marked with who decided."""
    lines = []
    for decision in decisions:
        value = quantity(decision.name, decision.value)
        mark = "" if decision.origin in UNMARKED else f"  [{decision.origin}]"
        lines.append(style.heading(f"{decision.name:<{NAME_WIDTH}} {value}{mark}"))
        sign = "= " if decision.origin == DERIVED else ""
        lines.append(style.wrap(f"{sign}{decision.because}", 4))
    return "\n".join(lines) + "\n"


def further_text(options: Sequence[Decision], style: Style) -> str:
    """The remaining options, one line each."""
    if not options:
        return ""
    lines = ["", style.heading("Further options:")]
    lines += [f"  {option.name:<{NAME_WIDTH}} {shown(option.value)}" for option in options]
    return "\n".join(lines) + "\n"


def summary_text(design: Design, decisions: Sequence[Decision], style: Style) -> str:
    """One line for each decision: for the screen that comes before writing."""
    lines = [style.heading(f"{design.project.name} (package {design.project.package})")]
    for decision in decisions:
        value = quantity(decision.name, decision.value)
        mark = "" if decision.origin in UNMARKED else f"  [{decision.origin}]"
        lines.append(f"  {decision.name:<{NAME_WIDTH}} {value}{mark}")
    return "\n".join(lines) + "\n"


def tree_text(root: str, sizes: Mapping[str, int]) -> str:
    """The files as an indented tree with their sizes."""
    lines = [f"{root}/"]
    shown_folders: set[str] = set()
    for path in sorted(sizes, key=lambda path: path.split("/")):
        *folders, name = path.split("/")
        for depth in range(1, len(folders) + 1):
            folder = "/".join(folders[:depth])
            if folder not in shown_folders:
                shown_folders.add(folder)
                lines.append(f"{'  ' * depth}{folders[depth - 1]}/")
        indented = f"{'  ' * (len(folders) + 1)}{name}"
        lines.append(f"{indented:<50} {bytes_text(sizes[path]):>10}")
    return "\n".join(lines) + "\n"


def made_text(made: Made, decisions: Sequence[Decision], style: Style) -> str:
    """What was made and what comes next; every file and decision where nothing was written."""
    total = bytes_text(sum(made.sizes.values()))
    if not made.is_written:
        count = f"{len(made.sizes)} files, {total}; nothing is written"
        tree = tree_text(made.destination, made.sizes)
        return f"{decisions_text(decisions, style)}\n{tree}{count}\n{_again(made)}"
    width = max(len(run) for run, _ in made.commands)
    lines = [style.heading(f"{made.destination}: {len(made.sizes)} files, {total}"), "", "Next:"]
    lines += [f"  {run:<{width}}  # {does}" for run, does in made.commands]
    return "\n".join(lines) + f"\n\n{_again(made)}"


def made_json(
    made: Made, design: Design, decisions: Sequence[Decision], modes: Mapping[str, int]
) -> str:
    """The same as JSON: project, design, decisions, files, commands."""
    return to_json(
        {
            "destination": made.destination,
            "written": made.is_written,
            "project": asdict(design.project),
            "design": {
                choice.axis: {"variant": choice.variant, **choice.options} for choice in design
            },
            "decisions": decisions_json(decisions),
            "files": [
                {"path": path, "bytes": size, "mode": f"{modes[path]:o}"}
                for path, size in made.sizes.items()
            ],
            "commands": [{"run": run, "does": does} for run, does in made.commands],
            "equivalent": made.equivalent,
        }
    )


def decisions_json(decisions: Sequence[Decision]) -> list[dict[str, object]]:
    """The decisions for a JSON document."""
    return [asdict(decision) for decision in decisions]


def explanation_text(found: "Explanation", style: Style) -> str:
    """One decision with all that is known of it, and what each alternative would change."""
    decision = found.decision
    lines = [decisions_text([decision], style).rstrip("\n")]
    facts = {**found.facts, "source": decision.source}
    lines += [f"    {name}: {text}" for name, text in facts.items() if text]
    for other in found.alternatives:
        lines += ["", style.heading(f"instead: {other.variant} ({other.title})")]
        lines.append(style.wrap(other.reason or other.help, 4))
        if other.impossible_because is not None:
            lines.append(style.wrap(f"not possible here: {other.impossible_because}", 4))
            continue
        for name, (now, then) in other.numbers.items():
            lines.append(f"    {name}: {_amount(name, now)} -> {_amount(name, then)}")
        lines += [f"    {sign} {path}" for sign, path in other.files]
    return "\n".join(lines) + "\n"


def explanation_json(found: "Explanation") -> str:
    """The same as JSON."""
    document: dict[str, object] = {**asdict(found.decision), "facts": dict(found.facts)}
    document["alternatives"] = [asdict(other) for other in found.alternatives]
    return to_json(document)


def error_text(error: ScaffoldError, style: Style, *, might_write: bool = True) -> str:
    """An error for the user: every problem with its key, value, rule and fix.

    That nothing is written is told of commands that ``might_write``.
    """
    if not isinstance(error, DesignError):
        return f"{style.heading('error:')} {error}\n"
    told = "; nothing is written" if might_write else ""
    lines = [style.heading(f"{len(error.problems)} problem(s){told}.")]
    for problem in error.problems:
        # A file is both: what the user would have to change, and what it is now.
        what = problem.key if problem.key == problem.value else f"{problem.key} = {problem.value}"
        lines.append(style.wrap(f"{what}: {problem.rule}", 2))
        lines.append(style.wrap(f"fix: {problem.fix}", 6))
    return "\n".join(lines) + "\n"


def error_json(error: ScaffoldError) -> str:
    """An error for programs: ``{"problems": [{key, value, rule, fix}, ...]}``."""
    if isinstance(error, DesignError):
        return to_json({"problems": [asdict(problem) for problem in error.problems]})
    problem = {"key": "", "value": "", "rule": str(error), "fix": ""}
    return to_json({"problems": [problem]})


def table_text(rows: Sequence[Sequence[str]]) -> str:
    """Rows with aligned columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "".join(f"{_row(row, widths)}\n" for row in rows)


def to_json(value: object) -> str:
    """JSON text, with the order of keys kept; other characters than ASCII are escaped."""
    return json.dumps(value, indent=2, allow_nan=False) + "\n"


def _row(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip()


def _amount(name: str, value: int | None) -> str:
    return "none" if value is None else quantity(name, value)


def _again(made: Made) -> str:
    return f"The same again:\n  {made.equivalent}\n"
