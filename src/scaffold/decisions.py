"""Every decision of a design, in order, with its reason: shown before writing, and in DESIGN.md.

A reason depends on the values alone, never on how they were given: the same design renders to the
same bytes whether it came from questions, a file or flags.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scaffold.catalogue import Catalogue
from scaffold.design import Choice, Design, Value
from scaffold.estimates import Estimates, estimate
from scaffold.keys import shown
from scaffold.parts import EXPRESSION_PREFIX, Option
from scaffold.recommend import SPREADING, advised
from scaffold.rulings import Ruling, notes
from scaffold.variants import clash, objections

ESTIMATED = (
    "parameters",
    "active_parameters",
    "flops_per_token",
    "parameter_bytes",
    "gradient_bytes",
    "optimizer_bytes",
    "activation_bytes",
    "gathered_bytes",
    "training_bytes",
    "cache_bytes_per_token",
    "cache_bytes_per_sequence",
)
DERIVED = "derived"


@dataclass(frozen=True)
class Decision:
    """One thing decided: ``source`` is a paper or page, ``origin`` who decided.

    ``origin`` is default, moved, preset, file, flag, asked, or derived for a computed number; it is
    for the screen only and never part of what is written.
    """

    name: str
    value: Value
    because: str
    source: str
    origin: str


def decide(catalogue: Catalogue, design: Design) -> tuple[Decision, ...]:
    """All decisions: each axis followed by its notable options, then the derived numbers."""
    decisions: list[Decision] = []
    for choice in design:
        decisions.append(_axis_decision(catalogue, design, choice))
        decisions += _option_decisions(catalogue, design, choice)
    return (*decisions, *_numbers(estimate(catalogue, design)))


def recommended(catalogue: Catalogue, design: Design, axis: str) -> str:
    """The variant that is recommended beside the choices on the earlier axes.

    That is the first that fits to them, unless the hardware recommends another one.
    """
    earlier: dict[str, str] = {}
    for choice in design:
        if choice.axis == axis:
            break
        earlier[choice.axis] = choice.variant
    parts = catalogue.axes[axis].parts
    advice = advised(catalogue, design) if axis in SPREADING else {}
    first = [advice[axis]] if advice.get(axis) in parts else []
    for variant in (*first, *parts):
        if not any(objections(catalogue, axis, variant, earlier)):
            return variant
    return design[axis].variant


def _axis_decision(catalogue: Catalogue, design: Design, choice: Choice) -> Decision:
    part = catalogue.axes[choice.axis].parts[choice.variant]
    because = part.reason or part.help
    first = recommended(catalogue, design, choice.axis)
    if first != choice.variant:
        because = f"{because} {_instead_of(catalogue, design, choice, first)}"
    because = with_notes(because, catalogue.axes[choice.axis].rulings)
    return Decision(choice.axis, choice.variant, because, part.source, design.origins[choice.axis])


def _instead_of(catalogue: Catalogue, design: Design, choice: Choice, first: str) -> str:
    """What was recommended, and why it was not taken."""
    for other in design:
        pair = (other.axis, other.variant)
        reason = other.axis != choice.axis and clash(catalogue, (choice.axis, first), pair)
        # A later choice that is the recommended one follows from this one: it is no reason for it.
        if reason and recommended(catalogue, design, other.axis) != other.variant:
            return f"({first} is not possible here: {reason}.)"
    part = catalogue.axes[choice.axis].parts[first]
    why = f": {part.reason}" if part.reason else "."
    return f"(Chosen instead of {first}, which is recommended{why})"


def _option_decisions(catalogue: Catalogue, design: Design, choice: Choice) -> Iterator[Decision]:
    """The options that are asked for, and those that differ from their default."""
    part = catalogue.axes[choice.axis].parts[choice.variant]
    for option in part.options_of(choice):
        value = choice.options[option.name]
        is_literal = not str(option.default).startswith(EXPRESSION_PREFIX)
        is_changed = is_literal and value != option.default
        if option.ask or is_changed or option.rulings:
            key = f"{choice.axis}.{option.name}"
            because = with_notes(_option_because(option, is_changed), option.rulings)
            yield Decision(key, value, because, part.source, design.origins[key])


def with_notes(because: str, rulings: Sequence[Ruling]) -> str:
    """A reason followed by what teams say of the value."""
    return f"{because.rstrip('.')}. {notes(rulings)}" if rulings else because


def _option_because(option: Option, is_changed: bool) -> str:
    if not is_changed:
        return option.reason or option.help
    # The reason is that of the default, and none for the value that stands in its place.
    default = f"the default is {shown(option.default)}"
    return (
        f"{option.help} ({default}: {option.reason})"
        if option.reason
        else (f"{option.help} ({default})")
    )


def _numbers(estimates: Estimates) -> Iterator[Decision]:
    for name in ESTIMATED:
        value = getattr(estimates, name)
        if value is not None:
            yield Decision(name, value, estimates.formulas[name], "", DERIVED)
