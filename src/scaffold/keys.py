"""The keys that answers may have: ``axis``, ``axis.option`` and ``project.name``."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from scaffold.catalogue import Catalogue
from scaffold.errors import Problem
from scaffold.migrations import Migration, instead

PROJECT_KEYS = ("project.name", "project.package", "project.description")
LONGEST_SHOWN = 60
LONGEST_INT_BITS = 1000


def known_keys(catalogue: Catalogue) -> tuple[str, ...]:
    """Every key there is, in the order of the axes; options of all variants of an axis."""
    keys = list(PROJECT_KEYS)
    for axis in catalogue.axes.values():
        keys.append(axis.name)
        for part in axis.parts.values():
            keys += [f"{axis.name}.{option}" for option in part.options]
    return tuple(dict.fromkeys(keys))


def canonical(key: str) -> str:
    """The form of a key that answers use: ``attention.variant`` is ``attention``."""
    return key.strip().removesuffix(".variant")


def nearest(key: str, known: Iterable[str]) -> str | None:
    """The known key that was most likely meant: same last name, or similar spelling."""
    known = list(known)
    last = key.rpartition(".")[2]
    same = [candidate for candidate in known if candidate.rpartition(".")[2] == last]
    similar = get_close_matches(key, same or known, n=1, cutoff=0.0 if same else 0.6)
    if not similar:
        names = {candidate.rpartition(".")[2]: candidate for candidate in known}
        similar = [names[name] for name in get_close_matches(last, names, n=1, cutoff=0.7)]
    return similar[0] if similar else None


def unknown_key(
    key: str, value: object, known: Iterable[str], migrations: Sequence[Migration] = ()
) -> Problem:
    """The problem of a key that does not exist, naming what it became, or else the nearest one."""
    gone = instead(migrations, key)
    if gone is not None:
        rule = f"there is no such key any more: {gone[0]}"
        return Problem(shown(key), shown(value), rule, gone[1])
    meant = nearest(key, known)
    fix = f"did you mean {meant}?" if meant else "`scaffold explain` lists all keys"
    return Problem(shown(key), shown(value), "there is no such key", fix)


def shown(value: object) -> str:
    """A value as messages show it: on one line, and not the whole of a long one."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > LONGEST_INT_BITS:
        return "(a number of very many digits)"  # Python refuses to write out the longest ones
    text = str(value)
    text = text if text.isprintable() else ascii(text)[1:-1]
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."
