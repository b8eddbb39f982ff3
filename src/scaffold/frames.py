"""Reads Python templates: the slots of a frame, the macros of a fragment, their import blocks."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from scaffold.errors import TemplateError
from scaffold.imports import Header, HeaderError, read_header
from scaffold.sources import Source

MAX_SLOTS = 8
EACH = "each"  # in place of an axis: every chosen part that has the macro, in the order of the axes
_TAG = re.compile(r"# \{%|# \{#|\{\{")
_STATEMENT = re.compile(r"\{%-?\s*(\w*)")
_SLOT = re.compile(r"^([ \t]*)# \{% print (\w+)\.(\w+)\(\) %\}[ \t]*$", re.MULTILINE)
_MACRO = re.compile(
    r"^[ \t]*# \{% macro (\w+)\(\) %\}[ \t]*\n(.*?)^[ \t]*# \{% endmacro %\}[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_IMPORT_PACKAGE = re.compile(r"^[ \t]*import package\b", re.MULTILINE)
_LONE_COMMENT = re.compile(r"^(\n+)# \{#((?:[^#]|#(?!\}))*#\}\n)(?=\n)", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")


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
    """What a fragment puts into a slot; ``words`` are all names that its text mentions."""

    name: str
    indent: str | None
    line: int
    words: frozenset[str]


@dataclass(frozen=True)
class PythonTemplate:
    """A Python file of the template tree; one without a tag is copied apart from its imports."""

    header: Header
    is_tagged: bool
    slots: tuple[Slot, ...]


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
    slots = tuple(
        Slot(match[2], match[3], match[1], _line(text, match.start()))
        for match in _SLOT.finditer(text)
    )
    _check_statements(source, {slot.line for slot in slots}, "# {% print axis.slot() %}")
    module = _IMPORT_PACKAGE.search(text)
    if module:
        line = _line(text, module.start())
        raise TemplateError(f"{source.path}:{line}: write `from package... import name` instead")
    return PythonTemplate(header, bool(_TAG.search(text)), slots)


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
        body = match[2]
        code = next((line for line in body.splitlines() if line.strip()), None)
        indent = None if code is None else code[: len(code) - len(code.lstrip())]
        macros[match[1]] = Macro(match[1], indent, first, frozenset(_WORD.findall(body)))
    _check_statements(source, lines, "# {% macro slot() %} and # {% endmacro %}")
    return Fragment(_header(source), MappingProxyType(macros))


def imports_placeholder(source: Source) -> str:
    """The text with ``{{imports}}`` in place of its import block, every line where it was."""
    header = read_python(source).header
    # The empty lines above a Jinja comment go with it, or they would add to those below.
    text = _LONE_COMMENT.sub(lambda match: f"# {{#{match[1]}#{match[2]}", source.text)
    lines = text.split("\n")
    height = header.last - header.first
    if height:
        # The Jinja comment fills the lines of the block, so that errors name true lines.
        lines[header.first : header.last] = ["{{imports}}# {#" + "\n" * (height - 1) + "#}"]
    else:
        lines[header.first] = "{{imports}}" + lines[header.first]
    return "\n".join(lines)


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
