"""Changes values in the text of scaffold.yaml, and leaves its comments, order and layout alone."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import yaml

from scaffold.design import Value
from scaffold.errors import DesignError, Problem
from scaffold.formats import yaml_scalar
from scaffold.keys import canonical, shown
from scaffold.scalars import stands_for

# The parser written in Python: that in C does not count the characters of all texts alike.
LOADER = yaml.BaseLoader
_Edit: TypeAlias = tuple[int, int, str]  # from, to, and what comes in place of that


@dataclass(frozen=True)
class _Entry:
    """A key of the file with the nodes that it and its value are; ``block`` is what it is in."""

    key: str
    name: yaml.ScalarNode
    value: yaml.ScalarNode
    block: yaml.MappingNode


def with_values(text: str, wanted: Mapping[str, Value], unnamed: Callable[[str], bool]) -> str:
    """The text with exactly the wanted values, each written as it was where it means the same.

    A wanted key that the text lacks is added, unless ``unnamed`` says that it may be missing.
    Raises DesignError where the layout of the file does not allow the change.
    """
    root = yaml.compose(text, Loader=LOADER)
    entries = list(_entries(root, ""))
    named = {entry.key for entry in entries}
    missing = [key for key in wanted if key not in named and not unnamed(key)]
    edits = [
        *_replacements(entries, wanted),
        *_removals(text, root, entries, wanted),
        *_additions(text, entries, wanted, missing),
    ]
    # From the end; of those at one place first what is taken out, then the last that is added.
    for start, end, new in sorted(reversed(edits), key=lambda edit: (-edit[0], -edit[1])):
        text = text[:start] + new + text[end:]
    return text


def _entries(node: yaml.Node | None, prefix: str) -> Iterator[_Entry]:
    if not isinstance(node, yaml.MappingNode):
        return
    for name, value in node.value:
        if isinstance(value, yaml.MappingNode) and not prefix:
            yield from _entries(value, f"{name.value}.")
        elif isinstance(name, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode):
            yield _Entry(canonical(prefix + str(name.value)), name, value, node)


def _replacements(entries: Iterable[_Entry], wanted: Mapping[str, Value]) -> Iterator[_Edit]:
    for entry in entries:
        if entry.key in wanted and not stands_for(str(entry.value.value), wanted[entry.key]):
            start, end = _span(entry.value)
            space = "" if start > _span(entry.name)[1] + 1 else " "
            yield start, end, space + yaml_scalar(wanted[entry.key])


def _removals(
    text: str, root: yaml.Node | None, entries: list[_Entry], wanted: Mapping[str, Value]
) -> Iterator[_Edit]:
    """Takes out whole lines, with the line of an axis of which nothing is left."""
    for entry in entries:
        if entry.key not in wanted:
            _require_block(entry)
            yield (*_lines(text, entry.name, entry.value), "")
    for name, value in root.value if isinstance(root, yaml.MappingNode) else ():
        mine = [entry for entry in entries if entry.block is value]
        if mine and not any(entry.key in wanted for entry in mine):
            yield (*_lines(text, name, name), "")


def _additions(
    text: str, entries: Iterable[_Entry], wanted: Mapping[str, Value], missing: Iterable[str]
) -> Iterator[_Edit]:
    """Puts a key below the one that comes before it in the design; a new axis to the end."""
    break_ = "\r\n" if "\r\n" in text else "\n"
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
        line = " " * (_span(beside.name)[0] - start) + line
        yield (
            (end, end, _line(text, end, line, break_)) if before else (start, start, line + break_)
        )
    for lines in new_axes.values():
        yield len(text), len(text), _line(text, len(text), break_.join(lines), break_)


def _line(text: str, position: int, line: str, break_: str) -> str:
    """A line to insert, also after a last line that has no end."""
    is_open = not text[:position].endswith("\n")
    return f"{break_}{line}" if is_open else f"{line}{break_}"


def _lines(text: str, first: yaml.Node, last: yaml.Node) -> tuple[int, int]:
    """Where the lines begin and end that two nodes stand in."""
    start = text.rfind("\n", 0, _span(first)[0]) + 1
    end = text.find("\n", _span(last)[1])
    return start, len(text) if end < 0 else end + 1


def _span(node: yaml.Node) -> tuple[int, int]:
    assert node.start_mark is not None and node.end_mark is not None
    return int(node.start_mark.index), int(node.end_mark.index)


def _require_block(entry: _Entry) -> None:
    if entry.block.flow_style:
        rule = "keys are to be added to or taken from a block in {braces}"
        fix = "write each key of it on a line of its own"
        raise DesignError([Problem(entry.key, shown(entry.value.value), rule, fix)])
