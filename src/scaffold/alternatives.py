"""What another choice on one axis would change: numbers and files, by making that design too."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scaffold.answers import Answer, Answers
from scaffold.catalogue import Catalogue
from scaffold.dead_ends import disabled_because
from scaffold.decisions import decide
from scaffold.design import Design
from scaffold.errors import DesignError
from scaffold.estimates import Estimates, estimate
from scaffold.parse import parse_design
from scaffold.parts import Part
from scaffold.plan import make_plan
from scaffold.render import render

COMPARED = (
    "parameters",
    "active_parameters",
    "flops_per_token",
    "training_bytes",
    "cache_bytes_per_token",
    "cache_bytes_per_sequence",
)
Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Alternative:
    """Another variant: why it cannot be taken, or what taking it would change.

    ``numbers`` maps a compared number to its values now and then; ``files`` are (sign, path) pairs,
    where the sign is ``+`` for new, ``-`` for gone and ``~`` for changed.
    """

    variant: str
    title: str
    help: str
    reason: str
    source: str
    impossible_because: str | None
    numbers: Mapping[str, tuple[int | None, int | None]]
    files: tuple[tuple[str, str], ...]


def alternatives(
    catalogue: Catalogue, design: Design, answers: Answers, axis: str
) -> Iterator[Alternative]:
    """Every other variant of an axis, compared with the design that ``answers`` made."""
    numbers, files = _outcome(catalogue, design)
    chosen = _chosen_options(catalogue, design, answers, axis)
    for part in catalogue.axes[axis].parts.values():
        if part.variant == design[axis].variant:
            continue
        texts = (part.variant, part.title, part.help, part.reason, part.source)
        try:
            other = parse_design(catalogue, _with(answers, part, chosen))
        except DesignError as error:
            others = {choice.axis: choice.variant for choice in design if choice.axis != axis}
            why = disabled_because(catalogue, axis, part.variant, others)
            problems = "; ".join(str(problem) for problem in error.problems)
            yield Alternative(*texts, why or problems, {}, ())
            continue
        other_numbers, other_files = _outcome(catalogue, other)
        compared = {
            name: (getattr(numbers, name), getattr(other_numbers, name))
            for name in COMPARED
            if getattr(numbers, name) != getattr(other_numbers, name)
        }
        yield Alternative(*texts, None, compared, tuple(_changes(files, other_files)))


def _chosen_options(
    catalogue: Catalogue, design: Design, answers: Answers, axis: str
) -> dict[str, Answer]:
    """The answers for an axis's options, without the defaults that a scaffold.yaml lists too."""
    given = {key: answer for key, answer in answers.items() if key.startswith(f"{axis}.")}
    others = {key: answer for key, answer in answers.items() if key not in given}
    try:
        defaults = parse_design(catalogue, others)[axis].options
    except (DesignError, KeyError):
        return given  # without them it is no design, or one that has not the axis
    listed = {
        f"{axis}.{name}"
        for name, value in design[axis].options.items()
        if value == defaults.get(name)
    }
    return {
        key: answer for key, answer in given.items() if answer.origin != "file" or key not in listed
    }


def _with(answers: Answers, part: Part, chosen: Answers) -> Answers:
    """The answers with another variant on its axis, and those chosen options that it has too."""
    start = f"{part.axis}."
    kept = {key: answer for key, answer in answers.items() if not key.startswith(start)}
    shared = {
        key: answer for key, answer in chosen.items() if key.removeprefix(start) in part.options
    }
    return {**kept, **shared, part.axis: Answer(part.variant, "flag")}


def _outcome(catalogue: Catalogue, design: Design) -> tuple[Estimates, Files]:
    estimates = estimate(catalogue, design)
    tree = render(make_plan(catalogue, design, decide(catalogue, design), estimates))
    return estimates, {path: file.content for path, file in tree.items()}


def _changes(before: Files, after: Files) -> Iterator[tuple[str, str]]:
    for path in sorted({*before, *after}):
        if path not in before:
            yield "+", path
        elif path not in after:
            yield "-", path
        elif before[path] != after[path]:
            yield "~", path
