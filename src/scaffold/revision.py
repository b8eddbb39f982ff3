"""What a changed scaffold.yaml and newer templates make of the design that was applied before.

scaffold.yaml lists every value, also those that nobody chose. What its owner changed there, or
chose before, holds. A value that was at its default may move with what it depends on; where newer
templates recommend another one, it stays unless the owner takes the new one.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from scaffold.answers import Answer, Answers, Layer, merge
from scaffold.catalogue import Catalogue
from scaffold.design import Choice, Design, Project, Value
from scaffold.errors import DesignError
from scaffold.keys import PROJECT_KEYS, known_keys
from scaffold.lock import Lock
from scaffold.parse import default_description, parse_design
from scaffold.scalars import stands_for
from scaffold.variants import Variants, applies, fitted

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
    edits = edited(lock, written)
    layers = [Layer("file", edits), Layer("flag", flags)]
    reading = merge(catalogue, [layer for layer in layers if layer.values])
    locked = flat_values(lock.project, lock.choices)
    chosen = {
        key: Answer(locked[key], CHOSEN)
        for key in _chosen_before(catalogue, lock)
        if key in written and key not in edits and key not in reading.answers
    }
    variants, returned = _settled(catalogue, lock, reading.answers, chosen)
    places = _Places(catalogue, lock, variants)
    hidden = {key: locked[key] for key in chosen if not places.expects(key)}
    answers = {
        **{key: answer for key, answer in chosen.items() if key not in hidden},
        **reading.answers,
    }
    defaults = [
        replace(item, is_taken=take_defaults or item.key not in written)
        for item in _new_defaults(catalogue, lock, locked)
        if item.key not in reading.answers and places.expects(item.key)
    ]
    pinned = {item.key: Answer(item.before, KEPT) for item in defaults if not item.is_taken}
    recalled = {
        key: Answer(value, REMEMBERED)
        for key, value in _recalled(lock, places, returned).items()
        if key not in reading.answers and key not in written
    }
    design = None
    if not reading.problems:
        design = _tried(catalogue, {**pinned, **recalled, **answers})
        design = design or _tried(catalogue, {**pinned, **answers})
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


def _chosen_before(catalogue: Catalogue, lock: Lock) -> list[str]:
    """The keys of what was applied whose values somebody chose."""
    at_default = {*lock.at_default, *_default_names(catalogue, lock)}
    return [key for key in flat_values(lock.project, lock.choices) if key not in at_default]


def _default_names(catalogue: Catalogue, lock: Lock) -> Iterator[str]:
    """The description, where it says no more than what the task is: it follows the task."""
    for choice in list(lock.choices.values())[:1]:
        axis = catalogue.axes.get(choice.axis)
        part = axis.parts.get(choice.variant) if axis is not None else None
        if part is not None and lock.project.description == default_description([part]):
            yield "project.description"


def _settled(
    catalogue: Catalogue, lock: Lock, given: Answers, chosen: Answers
) -> tuple[Variants, frozenset[str]]:
    """The variants that the answers and what was applied come to, and the axes that are back.

    Axes that the design no longer has are taken away, and remembered ones that it has again added.
    """
    named = {key: str(answer.value) for key, answer in given.items() if "." not in key}
    before = {choice.axis: choice.variant for choice in lock.choices.values()}
    variants = {
        axis: variant
        for axis, variant in {**before, **named}.items()
        if axis in catalogue.axes and variant in catalogue.axes[axis].parts
    }
    returned: set[str] = set()
    for name, axis in catalogue.axes.items():
        is_there = applies(axis, variants)
        if not is_there and name not in named:
            variants.pop(name, None)
        remembered = str(lock.left.remembered.get(name, ""))
        if is_there and name not in (*named, *chosen) and remembered in axis.parts:
            variants[name] = remembered
            returned.add(name)
    return variants, frozenset(returned)


@dataclass(frozen=True)
class _Places:
    """Which keys there are beside the variants of a design to come."""

    catalogue: Catalogue
    lock: Lock
    variants: Variants

    def has(self, key: str) -> bool:
        """Whether a design with these variants has the key; True of a key that nobody knows."""
        axis, _, option = key.partition(".")
        if key in PROJECT_KEYS or axis not in self.catalogue.axes:
            return True
        if axis not in self.variants:  # the design has it not, or its variant is gone
            return applies(self.catalogue.axes[axis], self.variants)
        part = self.catalogue.axes[axis].parts[self.variants[axis]]
        return not option or option in fitted(part, self.variants).options

    def expects(self, key: str) -> bool:
        """Whether it has the key, or had it before the templates dropped it.

        That is to be told, and not passed over.
        """
        axis, _, option = key.partition(".")
        before = self.lock.choices.get(axis)
        if before is None or self.variants.get(axis) != before.variant:
            return self.has(key)
        return (
            self.has(key) or option not in self.catalogue.axes[axis].parts[before.variant].options
        )


def _recalled(lock: Lock, places: _Places, returned: Collection[str]) -> dict[str, Value]:
    """What is remembered and has a place again: axes that are back, and options."""
    return {
        key: value
        for key, value in lock.left.remembered.items()
        if key in returned or ("." in key and places.has(key))
    }


def _new_defaults(
    catalogue: Catalogue, lock: Lock, locked: Mapping[str, Value]
) -> Iterator[NewDefault]:
    """The values that newer templates alone would change, had the owner changed nothing."""
    if catalogue.digest == lock.catalogue:
        return
    known = {*known_keys(catalogue)}
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
