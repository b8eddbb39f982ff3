"""pack.yaml: what a pack is, what it lays over the templates, and what it rules.

Every problem of a file is found, not only the first.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from scaffold import __version__
from scaffold.answer_file import forbidden
from scaffold.declarations import Fields, load_yaml, read_addition
from scaffold.design import Value
from scaffold.errors import PackError, TemplateError
from scaffold.keys import canonical
from scaffold.parts import Addition
from scaffold.rulings import Ruling
from scaffold.sources import Source

T = TypeVar("T")
ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)*(?:[a-z0-9.+-]*)")
SPECIFIER = re.compile(r"(>=|<=|==|!=|>|<)\s*([0-9]+(?:\.[0-9]+)*)")
LONGEST_HEADER = 20  # lines
WIDEST_HEADER = 90
RULINGS = ("locked", "default", "allowed", "minimum", "maximum")
NO_CODE = "a pack is data, and nothing of it is run"
# What other tools' templates ask for to run something: there is no such thing in a pack.
CODE = ("tasks", "_tasks", "extensions", "_extensions", "_jinja_extensions", "hooks", "migrations")


@dataclass(frozen=True)
class Overlay:
    """A copier template of the pack; ``replaces`` are the files of projects that it may replace."""

    replaces: tuple[str, ...]


@dataclass(frozen=True)
class Declaration:
    """What pack.yaml says.

    ``replaces`` are the parts (``launch/slurm``), axes (``launch``), frames, data files and
    presets (``data/README.md.jinja``) of earlier templates that it takes the place of.
    """

    id: str
    version: str
    title: str
    header: tuple[str, ...]
    policy: tuple[Ruling, ...]
    additions: Mapping[str, Addition]
    replaces: tuple[str, ...]
    overlays: Mapping[str, Overlay]


class _Attempts:
    """Reads on after a problem, so that all are found."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def __call__(self, read: Callable[[], T], fallback: T) -> T:
        try:
            return read()
        except TemplateError as error:
            self.problems.append(str(error))
            return fallback


def read_declaration(source: Source) -> Declaration:
    """The declaration in a pack.yaml; raises PackError with every reason at once."""
    rule = plain_yaml(source)
    if rule is not None:
        raise PackError([rule])
    try:
        fields = Fields(source.path, load_yaml(source))
    except TemplateError as error:
        raise PackError([str(error)]) from None
    attempt = _Attempts()
    for name in fields.names():
        if name in CODE:
            attempt.problems.append(f"{source.path}: {name}: {NO_CODE}")
    pack_id = attempt(lambda: _text(fields, "id", ID), "")
    declaration = Declaration(
        id=pack_id,
        version=attempt(lambda: _text(fields, "version", VERSION), ""),
        title=attempt(lambda: fields.read("title", str), ""),
        header=attempt(lambda: _header(fields), ()),
        policy=_each(fields, "policy", attempt, lambda one, key: _ruling(one, key, pack_id)),
        additions=dict(
            _each(fields, "extend", attempt, lambda one, key: (key, read_addition(one)))
        ),
        replaces=attempt(lambda: fields.strings("replaces"), ()),
        overlays=dict(_each(fields, "overlays", attempt, _overlay)),
    )
    attempt(lambda: _check_tool(fields), None)
    if not attempt.problems:
        attempt(fields.finish, None)
    if attempt.problems:
        raise PackError(attempt.problems)
    return declaration


def _each(
    fields: Fields, key: str, attempt: _Attempts, build: Callable[[Fields, str], T]
) -> tuple[T, ...]:
    """What can be built of the mappings under a key."""
    if not fields.has(key):
        fields.mapping(key)
        return ()
    items = attempt(lambda: fields.fields(key), None)
    if items is None:
        return ()
    built = []
    for name in items.names():
        found = attempt(partial(_built, items, name, build), None)
        built += [] if found is None else [found]
    return tuple(built)


def _built(items: Fields, name: str, build: Callable[[Fields, str], T]) -> T | None:
    return build(items.fields(name), name)


def _overlay(fields: Fields, name: str) -> tuple[str, Overlay]:
    if not ID.fullmatch(name):
        raise fields.error("", f"{name!r} is no name of a folder (lower case, with `-`)")
    overlay = Overlay(fields.strings("replaces"))
    fields.finish()
    return name, overlay


def plain_yaml(source: Source) -> str | None:
    """What a YAML file of a pack holds that none needs: tags, anchors, deep nesting, no text."""
    try:
        rule = forbidden(source.text)
    except TemplateError as error:
        return str(error)
    return None if rule is None else f"{source.path}: the file {rule}"


def _text(fields: Fields, key: str, form: re.Pattern[str]) -> str:
    text = fields.read(key, str)
    if not form.fullmatch(text):
        raise fields.error(key, f"{text!r} is no {key} of a pack, such as {_example(key)}")
    return text


def _example(key: str) -> str:
    return "acme-ml" if key == "id" else "'1.2.0', in quotes"


def _header(fields: Fields) -> tuple[str, ...]:
    lines = tuple(fields.read("header", str, "").strip("\n").splitlines())
    if len(lines) > LONGEST_HEADER or any(len(line) > WIDEST_HEADER for line in lines):
        limits = f"{LONGEST_HEADER} lines of {WIDEST_HEADER} characters"
        raise fields.error("header", f"has more than {limits}")
    if any(not line.isprintable() for line in lines):
        raise fields.error("header", "holds a control character")
    return lines


def _check_tool(fields: Fields) -> None:
    """Raises where the pack needs another version of the tool."""
    wanted = fields.read("scaffold", str, "")
    have = _release(__version__)
    for piece in wanted.split(",") if wanted else ():
        match = SPECIFIER.fullmatch(piece.strip())
        if match is None:
            raise fields.error("scaffold", f"{wanted!r} has not the form '>=0.1,<2'")
        sign, limit = match[1], _release(match[2])
        length = max(len(have), len(limit))
        ours, theirs = _padded(have, length), _padded(limit, length)
        holds = {
            ">=": ours >= theirs,
            "<=": ours <= theirs,
            ">": ours > theirs,
            "<": ours < theirs,
            "==": ours == theirs,
            "!=": ours != theirs,
        }
        if not holds[sign]:
            raise fields.error("scaffold", f"the pack needs {wanted}, and this is {__version__}")


def _release(version: str) -> tuple[int, ...]:
    digits = re.match(r"[0-9]{1,9}(?:\.[0-9]{1,9})*", version)
    return tuple(int(piece) for piece in digits[0].split(".")) if digits else ()


def _padded(release: tuple[int, ...], length: int) -> tuple[int, ...]:
    return release + (0,) * (length - len(release))


def _ruling(fields: Fields, key: str, pack: str) -> Ruling:
    is_locked = fields.has("locked")
    rulings = [name for name in RULINGS if fields.has(name)]
    if not rulings or (is_locked and len(rulings) > 1):
        raise fields.error("", "must say locked; or default, allowed, minimum or maximum")
    reason = fields.read("reason", str).strip()
    if not reason or not reason.isprintable():
        raise fields.error("reason", "must be one line: it is shown wherever the value is")
    value = None
    for name in ("locked", "default"):
        value = fields.value(name) if fields.has(name) else value
    allowed = _scalars(fields, "allowed")
    ruling = Ruling(
        key=canonical(key),
        pack=pack,
        reason=reason,
        default=value,
        allowed=(value,) if is_locked and value is not None else allowed,
        minimum=_limit(fields, "minimum"),
        maximum=_limit(fields, "maximum"),
        is_locked=is_locked,
    )
    fields.finish()
    return ruling


def _scalars(fields: Fields, key: str) -> tuple[Value, ...]:
    values: list[object] = fields.read(key, list, [])
    if fields.has(key) and not values:
        raise fields.error(key, "allows nothing")
    for value in values:
        if not isinstance(value, int | float | str | bool):
            raise fields.error(key, f"must be a list of single values, and holds {value!r}")
    return tuple(value for value in values if isinstance(value, int | float | str | bool))


def _limit(fields: Fields, key: str) -> float | None:
    if not fields.has(key):
        return None
    value = fields.value(key)
    if isinstance(value, bool | str) or not math.isfinite(value):
        raise fields.error(key, f"must be a number, not {value!r}")
    return value
