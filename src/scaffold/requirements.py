"""Unites the requirements of several parts into one list."""

import re
from collections.abc import Iterable

_SPECIFIER = r"(?:[<>~!=]=?=?\s*[\w.*+!-]+)"
_REQUIREMENT = re.compile(
    r"\s*([A-Za-z0-9._-]+)\s*(\[[\w\s,.-]*\])?"
    rf"\s*({_SPECIFIER}(?:\s*,\s*{_SPECIFIER})*)?\s*(;.*)?"
)


def is_requirement(text: str) -> bool:
    """Whether a text has the form of a requirement: name, extras, specifiers, marker."""
    return _REQUIREMENT.fullmatch(text) is not None


def unite(requirements: Iterable[str]) -> tuple[str, ...]:
    """One requirement per distribution (and marker), sorted, with the specifiers of all of them."""
    united: dict[tuple[str, str, str], tuple[str, list[str]]] = {}
    for text in requirements:
        match = _REQUIREMENT.fullmatch(text)
        assert match is not None, text
        name, extras, specifiers, marker = (group or "" for group in match.groups())
        key = (re.sub(r"[-_.]+", "-", name).lower(), extras, marker.strip())
        _, known = united.setdefault(key, (name, []))
        pieces = "".join(specifiers.split()).split(",")
        known += [piece for piece in pieces if piece and piece not in known]
    return tuple(
        f"{name}{extras}{','.join(specifiers)}{marker}"
        for (_, extras, marker), (name, specifiers) in sorted(united.items())
    )
