"""What a project says of itself, by the names of today: its lock and its scaffold.yaml."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from scaffold.applied import written_values
from scaffold.catalogue import Catalogue
from scaffold.design import Choice, Value
from scaffold.design_names import with_names
from scaffold.errors import DesignError
from scaffold.keys import PROJECT_KEYS
from scaffold.lock import Left, Lock, LockError
from scaffold.migrate import Event, Migrated, State, as_text, migrate
from scaffold.migrations import TOOL, versions
from scaffold.records import LOCK_PATH
from scaffold.revision import flat_values
from scaffold.variants import applies, fitted


@dataclass(frozen=True)
class Current:
    """A project by today's names: its lock, and the values that scaffold.yaml names, as text."""

    lock: Lock
    written: Mapping[str, str]
    events: tuple[Event, ...]


def bring(catalogue: Catalogue, lock: Lock, written: Mapping[str, str]) -> Current:
    """The project whose lock and scaffold.yaml may be of any older version of the templates.

    Raises LockError where it is of a newer one, DesignError where old and new names contradict.
    """
    since = _since(catalogue, lock)
    recorded = flat_values(lock.project, lock.choices)
    found = migrate(catalogue.migrations, recorded, written, since)
    if found.problems:
        raise DesignError(found.problems)
    now = {
        key: as_text(kept.value)
        for key, kept in _with_place(catalogue, found).items()
        if not kept.sources or written.keys() & kept.sources
    }
    return Current(_lock(catalogue, lock, since), now, found.events)


def renamed(catalogue: Catalogue, lock: Lock, text: str) -> str:
    """A scaffold.yaml beside a lock with today's keys; what they are is for the writer to say."""
    written = written_values(text)
    found = migrate(catalogue.migrations, flat_values(lock.project, lock.choices), written)
    return with_names(text, new_names(found.state, written)) if found.events else text


def new_names(state: State, written: Collection[str]) -> dict[str, str]:
    """The key of today for each written key of before that has one."""
    names = {key: key for key in written if key in state and key in state[key].sources}
    for key, kept in state.items():
        free = [old for old in kept.sources if old in written and old not in names]
        if free and key not in names:
            names[free[0]] = key
    return names


def _since(catalogue: Catalogue, lock: Lock) -> dict[str, int]:
    """The versions of the names in a lock; raises LockError where they are not known here."""
    since = {TOOL: lock.migrations, **{pack.id: pack.migrations for pack in lock.packs}}
    newest = versions(catalogue.migrations)
    for tree, count in since.items():
        known = newest.get(tree, 0)
        if count > known:
            whose = f"pack {tree}" if tree else "scaffold"
            raise LockError(
                f"{LOCK_PATH}: written with a newer {whose} ({count} migrations of names, of which "
                f"this one knows {known}); upgrade it"
            )
    return since


def _with_place(catalogue: Catalogue, found: Migrated) -> State:
    """The values without those that were added and that this design has no place for."""
    variants = {key: as_text(kept.value) for key, kept in found.state.items() if "." not in key}
    return {
        key: kept
        for key, kept in found.state.items()
        if kept.sources or _has_place(catalogue, variants, key)
    }


def _has_place(catalogue: Catalogue, variants: Mapping[str, str], key: str) -> bool:
    name, _, option = key.partition(".")
    axis = catalogue.axes.get(name)
    if axis is None or not applies(axis, variants):
        return False
    part = axis.parts.get(variants.get(name, ""))
    return not option or (part is not None and option in fitted(part, variants).options)


def _lock(catalogue: Catalogue, lock: Lock, since: Mapping[str, int]) -> Lock:
    """The lock by today's names."""
    recorded = flat_values(lock.project, lock.choices)
    found = migrate(catalogue.migrations, recorded, since=since)
    hidden = migrate(catalogue.migrations, lock.left.remembered)
    if not (found.events or hidden.events or found.values != recorded):
        return lock
    state = {k: kept for k, kept in _with_place(catalogue, found).items() if k not in PROJECT_KEYS}
    names = new_names(state, recorded)
    values = {key: kept.value for key, kept in state.items()}
    choices, homeless = _choices(values)
    return replace(
        lock,
        choices=choices,
        at_default=tuple(
            key
            for key, kept in state.items()
            if key not in homeless and {*kept.sources} <= {*lock.at_default}
        ),
        decisions=tuple(
            replace(item, name=names[item.name], value=values.get(names[item.name], item.value))
            if item.name in names
            else item
            for item in lock.decisions
        ),
        left=Left(lock.left.deleted, lock.left.conflicts, {**hidden.values, **homeless}),
    )


def _choices(values: Mapping[str, Value]) -> tuple[dict[str, Choice], dict[str, Value]]:
    """Values as choices, and the options of axes that the design has not."""
    options: dict[str, dict[str, Value]] = {key: {} for key in values if "." not in key}
    homeless = {}
    for key, value in values.items():
        axis, _, option = key.partition(".")
        if option and axis in options:
            options[axis][option] = value
        elif option:
            homeless[key] = value
    choices = {axis: Choice(axis, str(values[axis]), given) for axis, given in options.items()}
    return choices, homeless
