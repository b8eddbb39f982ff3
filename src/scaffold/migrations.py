"""What a template tree says of the names that it had before.

A tree lists its migrations in migrations.yaml, oldest first. They are data: each renames keys,
replaces values by others, drops a key, or says what was so before there was a key for it. Names
are never used twice, so that old ones are known wherever they stand, and migrating what is
migrated already changes nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from scaffold.design import Value

TOOL = ""  # the tree of this tool; others have the ids of their packs
ANY = "*"  # stands for every value


@dataclass(frozen=True)
class Rename:
    """A key has another name; an axis takes its options with it."""

    old: str
    new: str


@dataclass(frozen=True)
class Replace:
    """Where a design has all ``old`` values, it has the ``new`` ones in their place.

    New values may be expressions over the old ones, by the last names of their keys.
    """

    old: Mapping[str, Value]
    new: Mapping[str, Value]


@dataclass(frozen=True)
class Drop:
    """A key has no meaning any more; an axis takes its options with it."""

    old: str


@dataclass(frozen=True)
class Add:
    """What every design was before there were keys for it."""

    new: Mapping[str, Value]


Operation: TypeAlias = Rename | Replace | Drop | Add


@dataclass(frozen=True)
class Migration:
    """One step of a tree from a version of its names to the next, and why it was made."""

    path: Path
    tree: str
    version: int
    reason: str
    operations: tuple[Operation, ...]

    @property
    def title(self) -> str:
        """How it is called: ``scaffold 3``, or by the id of a pack."""
        return f"{self.tree or 'scaffold'} {self.version}"


def is_below(key: str, other: str) -> bool:
    """Whether a key is another one, or an option of the axis that it is."""
    return key == other or key.startswith(f"{other}.")


def versions(migrations: Sequence[Migration]) -> dict[str, int]:
    """The newest version of the names of each tree."""
    return {migration.tree: migration.version for migration in migrations}


def like_now(migrations: Sequence[Migration], axis: str, variant: str) -> str:
    """What a variant is called today, if it has but another name."""
    for _, operation in operations(migrations):
        if isinstance(operation, Replace) and operation.old == {axis: variant}:
            if operation.new.keys() == {axis}:
                variant = str(operation.new[axis])
    return variant


def instead(migrations: Sequence[Migration], key: str) -> tuple[str, str] | None:
    """Why there is a key no more, and what to write in its place; None if there never was."""
    for migration, operation in operations(migrations):
        match operation:
            case Rename(old, new) if is_below(key, old):
                return migration.reason, f"it is called {new + key.removeprefix(old)} now"
            case Replace(old, new) if key in old and new:
                return migration.reason, f"write {', '.join(new)} in its place"
            case Replace(old, _) if key in old:
                return migration.reason, "leave it out"
            case Drop(old) if is_below(key, old):
                return migration.reason, "leave it out"
    return None


def operations(migrations: Sequence[Migration]) -> Iterator[tuple[Migration, Operation]]:
    """Every operation with its migration, in order."""
    return ((migration, item) for migration in migrations for item in migration.operations)
