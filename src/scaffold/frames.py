"""Reads Python templates: the pieces of a frame, the macros of a fragment, their import blocks."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from scaffold.errors import TemplateError
from scaffold.imports import Header, HeaderError, read_header
from scaffold.sources import Source

MAX_SLOTS = 8
MAX_LEVELS = 2  # of slots within what fills a slot
EACH = "each"  # in place of an axis: every chosen part that has the macro, in the order of the axes
_TAG = re.compile(r"# \{%|# \{#|\{\{")
_STATEMENT = re.compile(r"\{%-?\s*(\w*)")
# Where a text is cut: at a Jinja comment, and at a slot.
_CUT = re.compile(
    r"^(?P<indent>[ \t]*)# \{"
    r"(?:#(?:[^#]|#(?!\}))*#\}|% print (?P<axis>\w+)\.(?P<name>\w+)\(\) %\})[ \t]*(?:\n|\Z)",
    re.MULTILINE,
)
# What would go on into the lines of another template: a comment beside code, a value without end.
_LOOSE = re.compile(r"# \{#|\{\{(?!.*?\}\})", re.DOTALL)
_EMPTY_LINES = re.compile(r"^\n+\Z", re.MULTILINE)
_MACRO = re.compile(
    r"^[ \t]*# \{% macro (\w+)\(\) %\}[ \t]*\n(.*?)^[ \t]*# \{% endmacro %\}[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_IMPORT_PACKAGE = re.compile(r"^[ \t]*import package\b", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Passage:
    """Whole lines of a template that stand in the output; ``line`` is the number of the first."""

    path: Path
    line: int
    text: str


@dataclass(frozen=True)
class Slot:
    """A line of a frame that the chosen part of ``axis`` fills with its macro ``name``.

    With ``each`` in place of an axis, every chosen part may fill it, one after the other, or none.
    """

    axis: str
    name: str
    indent: str
    line: int


@dataclass(frozen=True)
class Macro:
    """What a fragment puts into a slot; ``words`` are all names that its text mentions.

    It may have slots itself, for what another axis decides of it.
    """

    name: str
    indent: str | None
    line: int
    words: frozenset[str]
    pieces: tuple[Passage | Slot, ...]

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots of the macro itself."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Slot))


Piece: TypeAlias = Passage | Slot | Header


@dataclass(frozen=True)
class PythonTemplate:
    """A Python file of the template tree; one without a tag is copied apart from its imports.

    ``pieces`` are what the file is put together from, in order: the header, where the imports go,
    the slots, and the passages between them, without Jinja comments.
    """

    header: Header
    is_tagged: bool
    slots: tuple[Slot, ...]
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Fragment:
    """A part's macros for one frame, with the imports that the macros use."""

    header: Header
    macros: Mapping[str, Macro]


@lru_cache(maxsize=4096)
def read_python(source: Source) -> PythonTemplate:
    """Reads a frame or whole file; raises TemplateError where it breaks a rule of its kind."""
    text = source.text
    header = _header(source)
    lines = text.split("\n")
    above = "".join(f"{line}\n" for line in lines[: header.first])
    below = "\n".join(lines[header.last :])
    pieces = (*_cut(source, 1, above), header, *_cut(source, header.last + 1, below))
    slots = tuple(piece for piece in pieces if isinstance(piece, Slot))
    _check_statements(source, {slot.line for slot in slots}, "# {% print axis.slot() %}")
    module = _IMPORT_PACKAGE.search(text)
    if module:
        line = _line(text, module.start())
        raise TemplateError(f"{source.path}:{line}: write `from package... import name` instead")
    return PythonTemplate(header, bool(_TAG.search(text)), slots, pieces)


@lru_cache(maxsize=4096)
def read_fragment(source: Source) -> Fragment:
    """Reads a fragment; raises TemplateError where it breaks a rule of its kind."""
    text = source.text
    macros: dict[str, Macro] = {}
    lines = set()
    for match in _MACRO.finditer(text):
        first = _line(text, match.start())
        lines |= {first, _line(text, match.end())}
        if match[1] in macros:
            raise TemplateError(f"{source.path}:{first}: a second macro {match[1]!r}")
        pieces = tuple(_cut(source, first + 1, match[2]))
        lines |= {piece.line for piece in pieces if isinstance(piece, Slot)}
        text_of_macro = "".join(piece.text for piece in pieces if isinstance(piece, Passage))
        words = frozenset(_WORD.findall(text_of_macro))
        macros[match[1]] = Macro(match[1], _indent(pieces), first, words, pieces)
    _check_statements(source, lines, "# {% macro slot() %} and # {% endmacro %}")
    return Fragment(_header(source), MappingProxyType(macros))


def place(passages: Iterable[Passage], line: int) -> str:
    """The template and line, as ``path:line``, of a line of the joined passages."""
    found = ""
    for passage in passages:
        if line < 1:
            break
        found = f"{passage.path}:{passage.line + line - 1}"
        line -= passage.text.count("\n")
    return found


def _cut(source: Source, first: int, text: str) -> Iterator[Passage | Slot]:
    """The passages and slots of a text that begins at line ``first`` of its file."""
    start = 0
    for match in _CUT.finditer(text):
        kept = text[start : match.start()]
        if not match["axis"] and text.startswith("\n", match.end()):
            # The empty lines above a comment go with it, or they would add to those below.
            kept = _EMPTY_LINES.sub("", kept)
        yield from _passage(source, first - 1 + _line(text, start), kept)
        if match["axis"]:
            line = first - 1 + _line(text, match.start())
            yield Slot(match["axis"], match["name"], match["indent"], line)
        start = match.end()
    yield from _passage(source, first - 1 + _line(text, start), text[start:])


def _indent(pieces: Iterable[Passage | Slot]) -> str | None:
    """What the first line of code or slot is indented by; None where there is neither."""
    for piece in pieces:
        if isinstance(piece, Slot):
            return piece.indent
        for line in piece.text.splitlines():
            if line.strip():
                return line[: len(line) - len(line.lstrip())]
    return None


def _passage(source: Source, line: int, text: str) -> Iterator[Passage]:
    """The passage, if there is any text; raises TemplateError for a tag that does not end in it."""
    loose = _LOOSE.search(text)
    if loose:
        raise TemplateError(
            f"{source.path}:{line - 1 + _line(text, loose.start())}: {loose[0]} has no end, "
            "or stands beside code"
        )
    if text:
        yield Passage(source.path, line, text)


def _header(source: Source) -> Header:
    try:
        return read_header(source.text)
    except HeaderError as error:
        raise TemplateError(f"{source.path}:{error.line}: {error}") from None


def _check_statements(source: Source, allowed: set[int], form: str) -> None:
    for line, statement in _statements(source.text):
        if line not in allowed:
            raise TemplateError(
                f"{source.path}:{line}: {{% {statement} %}} does not belong here; "
                f"allowed, alone on its line: {form}"
            )


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """The line and keyword of every Jinja statement."""
    for match in _STATEMENT.finditer(text):
        yield _line(text, match.start()), match[1]


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
