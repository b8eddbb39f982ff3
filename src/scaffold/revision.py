"""What a changed scaffold.yaml and newer templates make of the design that was applied before.

scaffold.yaml lists every value, also those that nobody chose. What its owner changed there, or
chose before, holds. A value that was at its default may move with what it depends on; where newer
templates recommend another one, it stays unless the owner takes the new one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from scaffold.answers import Answer, Answers, Layer, merge
from scaffold.catalogue import Catalogue
from scaffold.design import Choice, Design, Project, Value
from scaffold.errors import DesignError
from scaffold.keys import PROJECT_KEYS, known_keys
from scaffold.lock import Lock
from scaffold.parse import default_description, parse_design
from scaffold.scalars import stands_for
from scaffold.variants import applies, fitted

CHOSEN, KEPT, REMEMBERED = "chosen", "kept", "remembered"


@dataclass(frozen=True)
class Change:
    """A value that differs from what was applied; None where the design has not the key."""

    key: str
    before: Value | None
    after: Value | None
    origin: str


@dataclass(frozen=True)
class NewDefault:
    """A value nobody chose, for which the templates recommend another one now."""

    key: str
    before: Value
    recommended: Value
    is_taken: bool


@dataclass(frozen=True)
class Revision:
    """The design to apply, and how it differs from the one that was applied.

    ``written`` are the keys that scaffold.yaml names; ``remembered`` are answers that the design
    has no place for.
    """

    design: Design
    changes: tuple[Change, ...]
    defaults: tuple[NewDefault, ...]
    written: frozenset[str]
    remembered: Mapping[str, Value]


def revise(
    catalogue: Catalogue,
    lock: Lock,
    written: Mapping[str, str],
    flags: Mapping[str, str],
    *,
    take_defaults: bool = False,
) -> Revision:
    """The design that scaffold.yaml (``written``) and flags ask for.

    Raises DesignError with everything that is wrong with it.
    """
    locked = flat_values(lock.project, lock.choices)
    edits = edited(lock, written)
    known = set(known_keys(catalogue))
    layers = [Layer("file", edits), Layer("flag", flags)]
    reading = merge(catalogue, [layer for layer in layers if layer.values])
    kept = [key for key in locked if key in written and key not in reading.answers]
    at_default = {*lock.at_default, *_default_names(catalogue, lock)}
    chosen = {
        key: Answer(locked[key], CHOSEN)
        for key in kept
        if key not in at_default and key not in edits
    }
    fitting = _Fitting.of(catalogue, lock, reading.answers, chosen)
    hidden = {key: locked[key] for key in chosen if not fitting.has_place(key)}
    held = {key: answer for key, answer in chosen.items() if key not in hidden}
    defaults = [
        replace(item, is_taken=take_defaults or item.key not in written)
        for item in _new_defaults(catalogue, lock, locked, known)
        if item.key not in reading.answers and fitting.has_place(item.key)
    ]
    pinned = {i.key: Answer(i.before, KEPT) for i in defaults if not i.is_taken}
    recalled = {
        key: Answer(value, REMEMBERED)
        for key, value in lock.left.remembered.items()
        if key in fitting.recalled and key not in reading.answers and key not in written
    }
    answers = {**held, **reading.answers}
    design = None
    if not reading.problems:
        for more in ({**pinned, **recalled}, pinned):
            design = design or _tried(catalogue, {**more, **answers})
    if design is None:
        # What nobody chose gives way where it does not go with the rest any more.
        design = parse_design(catalogue, answers, reading.problems)
        defaults = [replace(item, is_taken=True) for item in defaults]
    values = flat_values(design.project, design.choices)
    return Revision(
        design=design,
        changes=tuple(_changes(locked, values, design.origins)),
        defaults=tuple(defaults),
        written=frozenset({*written, *flags}),
        remembered={
            key: value
            for key, value in {**lock.left.remembered, **hidden}.items()
            if key not in values
        },
    )


def flat_values(project: Project, choices: Mapping[str, Choice]) -> dict[str, Value]:
    """Every value of a design by its key, in order."""
    values: dict[str, Value] = {
        key: str(getattr(project, key.partition(".")[2])) for key in PROJECT_KEYS
    }
    for choice in choices.values():
        values[choice.axis] = choice.variant
        values |= {f"{choice.axis}.{name}": value for name, value in choice.options.items()}
    return values


def edited(lock: Lock, written: Mapping[str, str]) -> dict[str, str]:
    """The values of scaffold.yaml that are not those which were applied."""
    locked = flat_values(lock.project, lock.choices)
    return {
        key: text
        for key, text in written.items()
        if key not in locked or not stands_for(text, locked[key])
    }


def left_out(lock: Lock, written: Mapping[str, str]) -> list[str]:
    """The chosen values that scaffold.yaml names no longer: they are to be at their default."""
    locked = flat_values(lock.project, lock.choices)
    return [
        key
        for key in locked
        if key not in written and key not in lock.at_default and key not in PROJECT_KEYS
    ]


def _tried(catalogue: Catalogue, answers: Answers) -> Design | None:
    """The design of these answers; None where they do not go together."""
    try:
        return parse_design(catalogue, answers)
    except DesignError:
        return None


def _default_names(catalogue: Catalogue, lock: Lock) -> Iterator[str]:
    """The description, where it says no more than what the task is: it follows the task."""
    for choice in list(lock.choices.values())[:1]:
        axis = catalogue.axes.get(choice.axis)
        part = axis.parts.get(choice.variant) if axis is not None else None
        if part is not None and lock.project.description == default_description([part]):
            yield "project.description"


@dataclass(frozen=True)
class _Fitting:
    """Which keys have a place beside the variants that are chosen now."""

    catalogue: Catalogue
    before: Mapping[str, str]
    variants: Mapping[str, str]
    recalled: frozenset[str]

    @classmethod
    def of(cls, catalogue: Catalogue, lock: Lock, given: Answers, chosen: Answers) -> "_Fitting":
        """Takes away axes that the design no longer has, and adds remembered ones it has again."""
        named = {key: str(answer.value) for key, answer in given.items() if "." not in key}
        before = {choice.axis: choice.variant for choice in lock.choices.values()}
        variants = {
            axis: variant
            for axis, variant in {**before, **named}.items()
            if axis in catalogue.axes and variant in catalogue.axes[axis].parts
        }
        recalled: set[str] = set()
        for name, axis in catalogue.axes.items():
            is_there = applies(axis, variants)
            if not is_there and name not in named:
                variants.pop(name, None)
            remembered = str(lock.left.remembered.get(name, ""))
            if is_there and name not in (*named, *chosen) and remembered in axis.parts:
                variants[name] = remembered
                recalled.add(name)
        # Nothing was dropped from a variant that is not back: its options have no place yet.
        fitting = cls(catalogue, {}, variants, frozenset())
        recalled |= {key for key in lock.left.remembered if "." in key and fitting.has_place(key)}
        return cls(catalogue, before, variants, frozenset(recalled))

    def has_place(self, key: str) -> bool:
        """Whether a design with these variants has the key, or should: it may be unknown by now."""
        axis, _, option = key.partition(".")
        if key in PROJECT_KEYS or axis not in self.catalogue.axes:
            return True
        if axis not in self.variants:  # the design has it not, or its variant is gone
            return applies(self.catalogue.axes[axis], self.variants)
        part = self.catalogue.axes[axis].parts[self.variants[axis]]
        if option not in part.options and self.before.get(axis) == part.variant:
            return True  # the templates dropped it: that is told, and not passed over
        return not option or option in fitted(part, self.variants).options


def _new_defaults(
    catalogue: Catalogue, lock: Lock, locked: Mapping[str, Value], known: set[str]
) -> Iterator[NewDefault]:
    """The values that newer templates alone would change, had the owner changed nothing."""
    if catalogue.digest == lock.catalogue:
        return
    chosen = {
        key: Answer(value, CHOSEN)
        for key, value in locked.items()
        if key not in lock.at_default and key in known
    }
    design = _tried(catalogue, chosen)
    if design is None:
        return  # what was chosen does not go with these templates: that is told of the whole design
    now = flat_values(design.project, design.choices)
    for key in lock.at_default:
        if key in now and now[key] != locked.get(key):
            yield NewDefault(key, locked[key], now[key], is_taken=False)


def _changes(
    locked: Mapping[str, Value], values: Mapping[str, Value], origins: Mapping[str, str]
) -> Iterator[Change]:
    for key in dict.fromkeys((*values, *locked)):
        before, after = locked.get(key), values.get(key)
        if before != after or type(before) is not type(after):
            yield Change(key, before, after, origins.get(key, "gone"))
