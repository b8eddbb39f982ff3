"""Changes values in the text of scaffold.yaml, and leaves its comments, order and layout alone."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import yaml

from scaffold.design import Value
from scaffold.errors import DesignError, Problem
from scaffold.formats import yaml_scalar
from scaffold.keys import canonical, shown
from scaffold.records import DESIGN_PATH
from scaffold.scalars import stands_for

# The parser written in Python: that in C does not count the characters of all texts alike.
LOADER = yaml.BaseLoader
COMMENT = re.compile(r"(?:^|(?<=[ \t]))#[^\r\n]*", re.MULTILINE)
BLOCK_STYLES = ("|", ">")
_Edit: TypeAlias = tuple[int, int, str]  # from, to, and what comes in place of that


@dataclass(frozen=True)
class _Entry:
    """A key of the file with the nodes that it and its value are; ``block`` is what it is in."""

    key: str
    name: yaml.ScalarNode
    value: yaml.ScalarNode
    block: yaml.MappingNode


def with_values(
    text: str, wanted: Mapping[str, Value], unnamed: Callable[[str], bool], pristine: str
) -> str:
    """The text with exactly the wanted values, each written as it was where it means the same.

    A wanted key that the text lacks is added, unless ``unnamed`` says that it may be missing. Of a
    key that is taken out, comments stay that are not in the ``pristine`` text. Raises DesignError
    where the layout of the file does not allow the change.
    """
    root = _composed(text)
    entries = list(_entries(root, ""))
    named = {entry.key for entry in entries}
    missing = [key for key in wanted if key not in named and not unnamed(key)]
    edits = [
        *_replacements(text, entries, wanted),
        *_removals(text, root, entries, wanted, frozenset(COMMENT.findall(pristine))),
        *_additions(text, entries, wanted, missing),
    ]
    # From the end; of those at one place first what is taken out, then the last that is added.
    for start, end, new in sorted(reversed(edits), key=lambda edit: (-edit[0], -edit[1])):
        text = text[:start] + new + text[end:]
    return text


def _composed(text: str) -> yaml.Node | None:
    try:
        # It takes no tab for a blank, as that in C does; marks stay where they are.
        return yaml.compose(text.replace("\t", " "), Loader=LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = "" if mark is None else f"line {mark.line + 1}: "
        rule = f"{line}it cannot be changed in place ({getattr(error, 'problem', 'is no YAML')})"
        raise DesignError(
            [Problem(DESIGN_PATH, "(text)", rule, "write plain `key: value` lines")]
        ) from None


def _entries(node: yaml.Node | None, prefix: str) -> Iterator[_Entry]:
    if not isinstance(node, yaml.MappingNode):
        return
    for name, value in node.value:
        if isinstance(value, yaml.MappingNode) and not prefix:
            yield from _entries(value, f"{name.value}.")
        elif isinstance(name, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode):
            yield _Entry(canonical(prefix + str(name.value)), name, value, node)


def _replacements(
    text: str, entries: Iterable[_Entry], wanted: Mapping[str, Value]
) -> Iterator[_Edit]:
    for entry in entries:
        if entry.key in wanted and not stands_for(str(entry.value.value), wanted[entry.key]):
            start, end = _span(text, entry.value)
            space = "" if start > _span(text, entry.name)[1] + 1 else " "
            comments = [f"  {comment}" for comment in _head_comments(text, entry.value)]
            yield start, end, "".join([space, yaml_scalar(wanted[entry.key]), *comments])


def _removals(
    text: str,
    root: yaml.Node | None,
    entries: list[_Entry],
    wanted: Mapping[str, Value],
    known: Collection[str],
) -> Iterator[_Edit]:
    """Takes out whole lines, with the line of an axis of which nothing is left."""
    for entry in entries:
        if entry.key not in wanted:
            _require_block(entry)
            yield _removal(text, entry.name, entry.value, known)
    for name, value in root.value if isinstance(root, yaml.MappingNode) else ():
        mine = [entry for entry in entries if entry.block is value]
        if mine and not any(entry.key in wanted for entry in mine):
            yield _removal(text, name, name, known)


def _removal(text: str, first: yaml.Node, last: yaml.Node, known: Collection[str]) -> _Edit:
    """Takes out the lines of two nodes; a comment of their owner stays, on a line of its own."""
    start, end = _lines(text, first, last)
    spans = [_span(text, first), _span(text, last)]
    gaps = ((spans[0][1], max(spans[0][1], spans[1][0])), (spans[1][1], end))
    found = [comment for gap in gaps for comment in COMMENT.findall(text[slice(*gap)])]
    found[:0] = _head_comments(text, last)
    mine = [comment for comment in found if comment not in known]
    indent = " " * (spans[0][0] - start)
    body = _break(text).join(indent + comment for comment in mine)
    is_open = not text[:end].endswith("\n")
    return start, end, body if is_open or not mine else body + _break(text)


def _head_comments(text: str, node: yaml.Node) -> list[str]:
    """The comment beside the sign that a text of several lines begins with."""
    if not isinstance(node, yaml.ScalarNode) or node.style not in BLOCK_STYLES:
        return []
    head = text[slice(*_span(text, node))].partition("\n")[0]
    return COMMENT.findall(head)


def _additions(
    text: str, entries: Iterable[_Entry], wanted: Mapping[str, Value], missing: Iterable[str]
) -> Iterator[_Edit]:
    """Puts a key below the one that comes before it in the design; a new axis to the end."""
    break_ = _break(text)
    order = {key: number for number, key in enumerate(wanted)}
    stay = [entry for entry in entries if entry.key in wanted]
    new_axes: dict[str, list[str]] = {}
    for key in missing:
        axis, _, option = key.partition(".")
        entry_text = f"{option or 'variant'}: {yaml_scalar(wanted[key])}"
        mine = sorted(
            (entry for entry in stay if entry.key.partition(".")[0] == axis),
            key=lambda entry: order[entry.key],
        )
        if not mine:
            new_axes.setdefault(axis, ["", f"{axis}:"]).append(f"  {entry_text}")
            continue
        before = [entry for entry in mine if order[entry.key] < order[key]]
        beside = before[-1] if before else mine[0]
        _require_block(beside)
        start, end = _lines(text, beside.name, beside.value)
        is_flat = "." in str(beside.name.value) or str(beside.name.value) == axis
        line = f"{key}: {yaml_scalar(wanted[key])}" if is_flat else entry_text
        line = " " * (_span(text, beside.name)[0] - start) + line
        yield (
            (end, end, _line(text, end, line, break_)) if before else (start, start, line + break_)
        )
    for lines in new_axes.values():
        yield len(text), len(text), _line(text, len(text), break_.join(lines), break_)


def _line(text: str, position: int, line: str, break_: str) -> str:
    """A line to insert, also after a last line that has no end."""
    is_open = not text[:position].endswith("\n")
    return f"{break_}{line}" if is_open else f"{line}{break_}"


def _break(text: str) -> str:
    """How the lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"


def _lines(text: str, first: yaml.Node, last: yaml.Node) -> tuple[int, int]:
    """Where the lines begin and end that two nodes stand in."""
    start = text.rfind("\n", 0, _span(text, first)[0]) + 1
    end = text.find("\n", _span(text, last)[1])
    return start, len(text) if end < 0 else end + 1


def _span(text: str, node: yaml.Node) -> tuple[int, int]:
    """Where a node begins and ends; a text of several lines with its last word."""
    assert node.start_mark is not None and node.end_mark is not None
    start, end = int(node.start_mark.index), int(node.end_mark.index)
    if isinstance(node, yaml.ScalarNode) and node.style in BLOCK_STYLES:
        return start, start + len(text[start:end].rstrip())
    return start, end


def _require_block(entry: _Entry) -> None:
    if entry.block.flow_style:
        rule = "keys are to be added to or taken from a block in {braces}"
        fix = "write each key of it on a line of its own"
        raise DesignError([Problem(entry.key, shown(entry.value.value), rule, fix)])
