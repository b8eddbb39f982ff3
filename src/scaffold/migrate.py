"""What a design of older names is by those of today: pure functions over its values."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from scaffold.design import Value
from scaffold.errors import Problem
from scaffold.expressions import EvaluationError, evaluate
from scaffold.keys import shown
from scaffold.migrations import (
    ANY,
    Add,
    Drop,
    Migration,
    Operation,
    Rename,
    Replace,
    is_below,
)
from scaffold.parts import EXPRESSION_PREFIX
from scaffold.scalars import DECIMAL, LONGEST_TEXT, WHOLE, stands_for

NAME = re.compile(r"= (\w+)")
ADDED, RECORDED, WRITTEN = range(3)  # of two values for one key the higher holds


@dataclass(frozen=True)
class Kept:
    """A value, the keys of before that it comes from, and how much it counts."""

    value: Value
    sources: tuple[str, ...]
    rank: int = RECORDED


State: TypeAlias = Mapping[str, Kept]


@dataclass(frozen=True)
class Event:
    """What one operation of a migration did to a design."""

    migration: Migration
    before: Mapping[str, Value]
    after: Mapping[str, Value]

    @property
    def told(self) -> str:
        """The change on one line."""
        before, after = (
            ", ".join(f"{shown(key)} = {shown(value)}" for key, value in values.items())
            for values in (self.before, self.after)
        )
        return f"{before} -> {after or '(none)'}"


@dataclass(frozen=True)
class Migrated:
    """Values by their names of today, what was done, and where two names contradict each other."""

    state: State
    events: tuple[Event, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def values(self) -> dict[str, Value]:
        """The values alone."""
        return {key: kept.value for key, kept in self.state.items()}

    @property
    def texts(self) -> dict[str, str]:
        """The values as files and flags have them."""
        return {key: as_text(kept.value) for key, kept in self.state.items()}


def migrate(
    migrations: Sequence[Migration],
    recorded: Mapping[str, Value],
    written: Mapping[str, Value] | None = None,
    since: Mapping[str, int] | None = None,
) -> Migrated:
    """The values of a design by today's names.

    ``written`` stand above ``recorded``. ``since`` says by tree which version the names are of,
    without which nothing is added: a design that says nothing of a key may be as new as any.
    """
    state = {
        **_added(migrations, since),
        **_as_state(recorded, RECORDED),
        **_as_state(written or {}, WRITTEN),
    }
    events: list[Event] = []
    problems: list[Problem] = []
    for _ in range(len(migrations) + 1):  # trees do not know of each other's order
        before = len(events)
        for migration in migrations:
            for operation in migration.operations:
                taken, given = _moved(operation, state)
                if taken:
                    state = _settled(state, taken, given, problems)
                    then = {key: typed(kept.value) for key, kept in given.items()}
                    events.append(Event(migration, taken, then))
        if len(events) == before:
            break
    return Migrated(state, tuple(events), tuple(problems))


def _as_state(values: Mapping[str, Value], rank: int) -> dict[str, Kept]:
    return {key: Kept(value, (key,), rank) for key, value in values.items()}


def _added(migrations: Sequence[Migration], since: Mapping[str, int] | None) -> dict[str, Kept]:
    return {
        key: Kept(value, (), ADDED)
        for migration in migrations
        if since is not None and migration.version > since.get(migration.tree, 0)
        for operation in migration.operations
        if isinstance(operation, Add)
        for key, value in operation.new.items()
    }


def _moved(operation: Operation, state: State) -> tuple[dict[str, Value], dict[str, Kept]]:
    """What an operation takes out of a design, and what it puts in its place."""
    match operation:
        case Rename(old, new):
            keys = [key for key in state if is_below(key, old)]
            given = {new + key.removeprefix(old): state[key] for key in keys}
        case Drop(old):
            keys, given = [key for key in state if is_below(key, old)], {}
        case Replace(old, new) if all(key in state and _is(state[key], old[key]) for key in old):
            found = {key: state[key] for key in old}
            keys, results = list(found), {key: _result(found, text) for key, text in new.items()}
            given = {key: kept for key, kept in results.items() if kept is not None}
            keys = keys if len(given) == len(new) else []
        case _:
            keys, given = [], {}
    return {key: typed(state[key].value) for key in keys}, given if keys else {}


def _is(kept: Kept, wanted: Value) -> bool:
    return wanted == ANY or stands_for(as_text(kept.value), wanted)


def _result(found: State, text: Value) -> Kept | None:
    """A new value; None where the old ones, which may be an owner's text, have none."""
    sources = tuple(source for kept in found.values() for source in kept.sources)
    rank = max(kept.rank for kept in found.values())
    by_name = {key.rpartition(".")[2]: kept.value for key, kept in found.items()}
    name = NAME.fullmatch(str(text))
    if name is not None and name[1] in by_name:
        return Kept(by_name[name[1]], sources, rank)
    if not str(text).startswith(EXPRESSION_PREFIX):
        return Kept(text, sources, rank)
    if any(len(as_text(value)) > LONGEST_TEXT for value in by_name.values()):
        return None
    try:
        value = evaluate(str(text), {key: typed(old) for key, old in by_name.items()})
    except EvaluationError:
        return None
    is_number = not isinstance(value, float) or math.isfinite(value)
    return Kept(value, sources, rank) if is_number else None


def _settled(
    state: State, taken: Mapping[str, Value], given: State, problems: list[Problem]
) -> dict[str, Kept]:
    """The design with what is given in the place of what is taken."""
    settled: dict[str, Kept] = {}
    for key, kept in state.items():
        if key not in taken:
            settled.setdefault(key, kept)
        elif key == next(iter(taken)) or key in given:
            settled |= {new: more for new, more in given.items() if new not in settled}
    for key, kept in given.items():
        other = state.get(key)
        if other is None or key in taken:
            continue
        if kept.rank == other.rank == WRITTEN and typed(kept.value) != typed(other.value):
            old = next((source for source in kept.sources), key)
            rule = f"it is called {key} now, which is there too, with {shown(other.value)}"
            problems.append(Problem(shown(old), shown(kept.value), rule, "keep one of the two"))
        first, second = (other, kept) if other.rank >= kept.rank else (kept, other)
        both = first.sources + second.sources
        settled[key] = replace(first, sources=both) if first.rank == second.rank else first
    return settled


def as_text(value: Value) -> str:
    """A value as files and flags have it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def typed(value: Value) -> Value:
    """What a text of a file stands for."""
    text = value.strip() if isinstance(value, str) else ""
    if len(text) > LONGEST_TEXT:
        return value
    if (whole := WHOLE.fullmatch(text)) and not whole[3]:
        return int(text)
    if DECIMAL.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return {"true": True, "false": False}.get(text, value)
