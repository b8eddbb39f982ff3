"""What may be wrong with migrations as a whole: names that are still there, or never will be."""

from collections.abc import Iterator, Mapping, Sequence

from scaffold.design import Value
from scaffold.errors import TemplateError
from scaffold.migrations import (
    ANY,
    Add,
    Drop,
    Migration,
    Operation,
    Rename,
    Replace,
    is_below,
    operations,
)
from scaffold.parts import EXPRESSION_PREFIX, Axis
from scaffold.scalars import is_readable

FOREIGN = ("project", "preset")  # what is no axis
Axes = Mapping[str, Axis]


def check_migrations(axes: Axes, migrations: Sequence[Migration]) -> None:
    """Raises TemplateError where the names of today are not those that migrations end in.

    A name that was given up is not used again: so it is known wherever it still stands.
    """
    steps = list(operations(migrations))
    for number, (migration, operation) in enumerate(steps):
        mine = [(m, other) for m, other in steps[:number] if m.tree == migration.tree]
        later = [other for m, other in steps if m.tree != migration.tree] + [
            other for m, other in steps[number + 1 :] if m.tree == migration.tree
        ]
        for rule in (
            *_of_old_names(axes, operation, mine),
            *_of_new_names(axes, operation, mine, later),
        ):
            raise TemplateError(f"{migration.path}: version {migration.version}: {rule}")


def _of_old_names(
    axes: Axes, operation: Operation, earlier: Sequence[tuple[Migration, Operation]]
) -> Iterator[str]:
    old = _old(operation)
    for key in old:
        if key.partition(".")[0] in FOREIGN:
            yield f"{key} is no key of a tree"
        for migration, other in earlier:
            if any(is_below(key, gone) for gone in _given_up(other)):
                yield f"{key} was given up in version {migration.version} already"
    if isinstance(operation, Replace) and old:
        if all(_exists(axes, key, value, old) for key, value in old.items()):
            told = ", ".join(f"{key} = {value}" for key, value in old.items())
            yield f"{told} is there still, so that a new design could not be told from an old one"
        return
    yield from (f"{key} is there still" for key in old if _exists(axes, key, ANY, old))


def _of_new_names(
    axes: Axes,
    operation: Operation,
    earlier: Sequence[tuple[Migration, Operation]],
    later: Sequence[Operation],
) -> Iterator[str]:
    new = _new(operation)
    for key, value in new.items():
        for migration, other in earlier:
            if any(is_below(key, gone) for gone in _given_up(other)):
                yield f"{key} was given up in version {migration.version}: take another name"
        if not _exists(axes, key, value, new) and not any(
            _takes(other, key, value) for other in later
        ):
            told = key if value == ANY else f"{key} = {value}"
            yield f"there is no {told}, and nothing becomes of it"


def _old(operation: Operation) -> Mapping[str, Value]:
    match operation:
        case Rename(old, _) | Drop(old):
            return {old: ANY}
        case Replace(old, _):
            return old
        case _:
            return {}


def _new(operation: Operation) -> Mapping[str, Value]:
    match operation:
        case Rename(_, new):
            return {new: ANY}
        case Replace(_, new) | Add(new):
            return {
                key: ANY if str(value).startswith(EXPRESSION_PREFIX) else value
                for key, value in new.items()
            }
        case _:
            return {}


def _given_up(operation: Operation) -> Iterator[str]:
    """The keys of which nothing is left after an operation."""
    old, new = _old(operation), _new(operation)
    return (key for key, value in old.items() if value == ANY and len(old) == 1 and key not in new)


def _takes(operation: Operation, key: str, value: Value) -> bool:
    """Whether an operation makes something else of a key with a value."""
    if isinstance(operation, Rename | Drop):
        return is_below(key, operation.old)
    return any(key == old and other in (ANY, value) for old, other in _old(operation).items())


def _exists(axes: Axes, key: str, value: Value, beside: Mapping[str, Value]) -> bool:
    """Whether a design may have the value for the key, and the variant that is named beside it."""
    name, _, option = key.partition(".")
    axis = axes.get(name)
    if axis is None:
        return False
    if not option:
        return value == ANY or value in axis.parts
    named = [part for part in axis.parts.values() if part.variant == beside.get(name)]
    parts = named or axis.parts.values()  # a variant of before may have become any
    options = [part.options[option] for part in parts if option in part.options]
    return any(value == ANY or is_readable(item, value) for item in options)
