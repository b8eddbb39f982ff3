"""Changes keys in the text of scaffold.yaml: a line keeps its place, its value and its comments."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import yaml

from scaffold.design_edit import LOADER
from scaffold.errors import DesignError, Problem
from scaffold.keys import canonical
from scaffold.records import DESIGN_PATH

VARIANT = "variant"
_Edit: TypeAlias = tuple[int, int, str]  # from, to, and what comes in place of that


@dataclass(frozen=True)
class _Entry:
    """A key with the nodes that it and its value are; ``new`` is None where it has no new name."""

    key: str
    new: str | None
    name: yaml.Node
    value: yaml.Node


@dataclass(frozen=True)
class _Block:
    """The keys below the name of an axis, which will be called ``home``."""

    axis: str
    home: str
    name: yaml.Node
    node: yaml.MappingNode
    entries: tuple[_Entry, ...]


def with_names(text: str, names: Mapping[str, str]) -> str:
    """The text in which each key has its new name; keys without one are to be taken out.

    An option that comes to another axis moves there, and its comments with it. Raises DesignError
    where the layout does not allow that.
    """
    root = _root(text)
    if root is None:
        return text
    blocks = list(_blocks(root, names))
    flat = list(_entries([pair for pair in root.value if not _is_block(pair[1])], "", names))
    places: dict[str, _Block] = {}  # where the keys of each axis come together
    for block in sorted(blocks, key=lambda block: block.axis != block.home):
        places.setdefault(block.home, block)
    edits = list(_in_one_line(flat, places))
    moved: dict[str, list[_Entry]] = {}
    for block in blocks:
        away = [entry for entry in block.entries if not _stays(entry, block, places)]
        edits += _in_place(block, away)
        for entry in away:
            if block.node.flow_style:
                rule = "its block in {braces} cannot be changed in place"
                fix = "write each key of it on a line of its own"
                raise DesignError([Problem(entry.key, entry.new or "(none)", rule, fix)])
            edits.append((*_lines(text, entry.name, entry.value, with_comments=True), ""))
            if entry.new is not None:
                moved.setdefault(entry.new.partition(".")[0], []).append(entry)
        if len(away) == len(block.entries):
            edits.append((*_lines(text, block.name, block.name), ""))
    is_new = {axis: axis not in places and axis not in _axes(flat) for axis in moved}
    for axis, entries in sorted(moved.items(), key=lambda item: is_new[item[0]]):
        edits.append(_arrival(text, axis, entries, places.get(axis), flat))
    # From the end; of those at one place the last first.
    for start, end, new in sorted(reversed(edits), key=lambda edit: (-edit[0], -edit[1])):
        text = text[:start] + new + text[end:]
    return text


def _root(text: str) -> yaml.MappingNode | None:
    try:
        # As the reader of answers has it, a tab is a blank; marks stay where they are.
        root = yaml.compose(text.replace("\t", " "), Loader=LOADER)
    except yaml.YAMLError as error:
        rule = f"it cannot be changed in place ({' '.join(str(error).split())})"
        fix = "write plain `key: value` lines"
        raise DesignError([Problem(DESIGN_PATH, "(text)", rule, fix)]) from None
    return root if isinstance(root, yaml.MappingNode) else None


def _axes(entries: Collection[_Entry]) -> set[str]:
    return {entry.new.partition(".")[0] for entry in entries if entry.new is not None}


def _is_block(node: yaml.Node) -> bool:
    return isinstance(node, yaml.MappingNode)


def _blocks(root: yaml.MappingNode, names: Mapping[str, str]) -> Iterator[_Block]:
    for name, value in root.value:
        if isinstance(value, yaml.MappingNode):
            axis = str(name.value)
            entries = tuple(_entries(value.value, f"{axis}.", names))
            yield _Block(axis, _home(axis, entries), name, value, entries)


def _entries(
    pairs: Collection[tuple[yaml.Node, yaml.Node]], prefix: str, names: Mapping[str, str]
) -> Iterator[_Entry]:
    for name, value in pairs:
        key = canonical(f"{prefix}{name.value}")
        yield _Entry(key, names.get(key), name, value)


def _home(axis: str, entries: Collection[_Entry]) -> str:
    """What the axis of a block is called from now on: as its variant or, without one, the rest."""
    new = [entry.new.partition(".")[0] for entry in entries if entry.new is not None]
    variant = [entry.new for entry in entries if entry.key == axis and entry.new is not None]
    if variant:
        return variant[0].partition(".")[0]
    return axis if axis in new else next(iter(new), axis)


def _stays(entry: _Entry, block: _Block, places: Mapping[str, _Block]) -> bool:
    """Whether an entry keeps its line; one that is to be taken out may do so, unless it is in the
    way.
    """
    if places[block.home] is not block:
        return False
    if entry.new is None:
        name = str(entry.name.value)
        return all(name != _option(other.new) for other in block.entries)
    return entry.new.partition(".")[0] == block.home


def _option(key: str | None) -> str:
    return "" if key is None else key.partition(".")[2] or VARIANT


def _in_place(block: _Block, away: Collection[_Entry]) -> Iterator[_Edit]:
    """New words in the lines that stay where they are."""
    if len(away) < len(block.entries) and block.home != block.axis:
        yield (*_span(block.name), block.home)
    for entry in block.entries:
        if entry not in away and entry.new is not None and _option(entry.new) != entry.name.value:
            yield (*_span(entry.name), _option(entry.new))


def _in_one_line(flat: Collection[_Entry], places: Mapping[str, _Block]) -> Iterator[_Edit]:
    """New words in lines such as ``size.steps: 9`` and ``size: small``."""
    for entry in flat:
        if entry.new not in (None, entry.key):
            is_long = str(entry.name.value) != entry.key or entry.new in places
            is_axis = "." not in str(entry.new)
            yield (*_span(entry.name), f"{entry.new}{'.variant' * (is_axis and is_long)}")


def _arrival(
    text: str,
    axis: str,
    entries: Collection[_Entry],
    block: _Block | None,
    flat: Collection[_Entry],
) -> _Edit:
    """The lines of options that come to an axis: below its others, or else at the end."""
    break_ = "\r\n" if "\r\n" in text else "\n"
    head, indent, prefix, position = [f"{break_}{axis}:{break_}"], "  ", "", len(text)
    beside = [entry for entry in flat if (entry.new or "").partition(".")[0] == axis]
    if block is not None and block.node.flow_style:
        rule = "it comes to a block in {braces}"
        fix = f"write each key of {axis} on a line of its own"
        raise DesignError([Problem(next(iter(entries)).key, axis, rule, fix)])
    if block is not None:
        first, last = block.entries[0], block.entries[-1]
        start, position = _lines(text, last.name, last.value)
        head, indent = [], " " * (_span(first.name)[0] - _lines(text, first.name, first.name)[0])
    elif beside:
        head, indent, prefix = [], "", f"{axis}."
        position = _lines(text, beside[-1].name, beside[-1].value)[1]
    for entry in entries:
        start, end = _lines(text, entry.name, entry.value, with_comments=True)
        comments = text[start : text.rfind("\n", 0, _span(entry.name)[0]) + 1]
        head += [f"{indent}{line.strip()}{break_}" for line in comments.splitlines()]
        rest = text[_span(entry.name)[1] : end].rstrip("\r\n")
        head.append(f"{indent}{prefix}{_option(entry.new)}{rest}{break_}")
    is_open = position > 0 and text[position - 1] != "\n"
    return position, position, break_ * is_open + "".join(head)


def _lines(
    text: str, first: yaml.Node, last: yaml.Node, *, with_comments: bool = False
) -> tuple[int, int]:
    """Where the lines begin and end that two nodes stand in, and the comments right above them."""
    start = text.rfind("\n", 0, _span(first)[0]) + 1
    while with_comments and start:
        above = text.rfind("\n", 0, start - 1) + 1
        line = text[above:start]
        if not line.strip().startswith("#") or line[0] == "#":
            break
        start = above
    end = text.find("\n", max(_span(last)[1] - 1, _span(first)[1]))
    return start, len(text) if end < 0 else end + 1


def _span(node: yaml.Node) -> tuple[int, int]:
    assert node.start_mark is not None and node.end_mark is not None
    return int(node.start_mark.index), int(node.end_mark.index)
