"""A YAML file of answers as flat text, with YAML's surprises left out.

Every scalar stays the text that was written (``no`` is no boolean, ``017`` no octal, ``1:30`` no
minutes): what it means is decided by the type of its option. Anchors, tags, repeated keys and deep
nesting, which no file of answers needs, are refused.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from scaffold.errors import Problem
from scaffold.keys import canonical, shown

LARGEST_FILE = 1_000_000  # bytes
DEEPEST = 8
MOST_VALUES = 2000  # each that is unknown is compared with all that are known
LOADER: type[yaml.BaseLoader] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
EMPTY_WORDS = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True)
class FileAnswers:
    """The answers of one file, by flat key, and what was wrong with the rest of it."""

    values: dict[str, str]
    problems: tuple[Problem, ...]


def read_answer_file(path: Path, option: str) -> FileAnswers:
    """Reads a file; ``option`` names it in problems. Never raises for what the file holds."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        return _refused(option, path, f"cannot be read ({reason})", "give a YAML file of answers")
    if len(content) > LARGEST_FILE:
        rule = f"has more than {LARGEST_FILE} bytes"
        return _refused(option, path, rule, "give a YAML file of answers")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        rule = f"is not UTF-8 text (byte {error.start})"
        return _refused(option, path, rule, "save it as UTF-8")
    return parse_answer_text(text, option, path)


def parse_answer_text(text: str, option: str, path: Path) -> FileAnswers:
    """The answers in the text of a file."""
    try:
        rule = _forbidden(text)
        root = yaml.compose(text, Loader=LOADER) if rule is None else None
    except yaml.YAMLError as error:
        rule = "is not valid YAML: " + " ".join(str(error).split())
    if rule is not None:
        return _refused(option, path, rule, "write plain `key: value` lines")
    if root is None:
        return _refused(option, path, "is empty", "give at least one answer")
    if not isinstance(root, yaml.MappingNode):
        rule = "holds a list or a single value at the top"
        return _refused(option, path, rule, "write `key: value` lines")
    found = list(_flat(root, ""))
    if len(found) > MOST_VALUES:
        return _refused(option, path, f"holds more than {MOST_VALUES} values", "leave some out")
    values: dict[str, str] = {}
    problems: list[Problem] = []
    for line, key, value in found:
        name = canonical(key)
        if value is None:
            rule = f"line {line}: it must be a single value"
            problems.append(Problem(shown(name), "(nested)", rule, "write `key: value`"))
        elif name in values:
            rule = f"line {line} repeats it (before: {shown(values[name])})"
            problems.append(Problem(shown(name), shown(value), rule, "keep one of the two"))
        else:
            values[name] = value
    return FileAnswers(values, tuple(problems))


def forbidden(text: str) -> str | None:
    """What a YAML text holds that no declaration needs, or why it is no YAML; None if all is well.

    Beside anchors, tags and depth these are repeated keys, of which all but one would be lost.
    """
    try:
        rule = _forbidden(text)
        root = yaml.compose(text, Loader=LOADER) if rule is None else None
    except yaml.YAMLError as error:
        return "is not valid YAML: " + " ".join(str(error).split())
    return rule if root is None else _repeated(root)


def _repeated(node: yaml.Node) -> str | None:
    """The first key that a mapping has twice."""
    children = list(node.value) if isinstance(node, yaml.CollectionNode) else []
    if isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        for key, _ in node.value:
            if str(key.value) in keys:
                return f"repeats {shown(key.value)} in line {_line(key)}"
            keys.add(str(key.value))
        children = [value for _, value in node.value]
    found = (_repeated(child) for child in children)
    return next((rule for rule in found if rule is not None), None)


def _forbidden(text: str) -> str | None:
    """What the file holds that no file of answers needs; raises YAMLError where it is no YAML."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=LOADER):
        line = _line(event)
        documents += isinstance(event, yaml.DocumentStartEvent)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            return f"uses an anchor or alias in line {line}"
        tag = getattr(event, "tag", None)
        if tag not in (None, "!"):
            return f"uses the tag {tag} in line {line}"
        if depth > DEEPEST:
            return f"is nested too deeply in line {line}"
        if documents > 1:
            return f"holds a second document in line {line}"
    return None


def _flat(node: yaml.MappingNode, prefix: str) -> Iterator[tuple[int, str, str | None]]:
    """(line, flat key, text) of every value; text is None for a value that is no scalar."""
    for key_node, value_node in node.value:
        line = _line(key_node)
        is_name = isinstance(key_node, yaml.ScalarNode)
        key = prefix + (str(key_node.value) if is_name else "(a list or mapping)")
        if not is_name:
            yield line, key, None
        elif isinstance(value_node, yaml.MappingNode) and value_node.value and not prefix:
            yield from _flat(value_node, f"{key}.")
        elif isinstance(value_node, yaml.ScalarNode):
            is_empty = not value_node.style and value_node.value in EMPTY_WORDS
            yield line, key, "" if is_empty else str(value_node.value)
        else:
            yield line, key, None


def _line(part: yaml.Event | yaml.Node) -> int:
    return 0 if part.start_mark is None else part.start_mark.line + 1


def _refused(option: str, path: Path, rule: str, fix: str) -> FileAnswers:
    return FileAnswers({}, (Problem(option, shown(path), f"the file {rule}", fix),))
