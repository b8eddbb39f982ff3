"""Reads and checks the YAML declarations of axes and parts; every error names file and key."""

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar, cast, get_args

import yaml

from scaffold.design import Value
from scaffold.errors import TemplateError
from scaffold.parts import (
    EXPRESSION_PREFIX,
    Addition,
    Axis,
    Option,
    OptionType,
    Part,
    Provided,
    Rule,
)
from scaffold.requirements import is_requirement
from scaffold.sources import Source

T = TypeVar("T")
# The loader written in C is about eight times faster; not every build of PyYAML has it.
LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
PYTHON_TYPES: Mapping[str, type] = {"int": int, "float": float, "str": str, "bool": bool}
KIND_NAMES: Mapping[type, str] = {
    bool: "true or false",
    dict: "a mapping",
    float: "a number",
    int: "a whole number",
    list: "a list",
    str: "text",
}
CONFIG_KEY = re.compile(r"[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*")
NAME = re.compile(r"[a-z_][a-z0-9_]*")


class Fields:
    """One mapping of a declaration, read key by key; what is not read in the end is an error."""

    def __init__(self, path: Path, data: object, where: str = "") -> None:
        self._path = path
        self._where = where
        if not isinstance(data, dict):
            raise self.error("", f"must be a mapping, not {_kind(data)}")
        self._data = {str(key): value for key, value in data.items()}
        self._known: list[str] = []

    def error(self, key: str, message: str) -> TemplateError:
        """The error for a key of this mapping."""
        place = ".".join(name for name in (self._where, key) if name)
        return TemplateError(f"{self._path}: {place + ': ' if place else ''}{message}")

    def names(self) -> tuple[str, ...]:
        """The keys of the mapping, in order."""
        return tuple(self._data)

    def has(self, key: str) -> bool:
        """Whether the mapping holds the key."""
        return key in self._data

    def read(self, key: str, kind: type[T], default: T | None = None) -> T:
        """The value of a key, which must be of the type; required where there is no default."""
        self._known.append(key)
        value = self._data.get(key)
        if value is None:
            if default is None:
                raise self.error(key, f"is missing ({KIND_NAMES[kind]})")
            return default
        if isinstance(value, int) and not isinstance(value, bool) and kind is float:
            return cast(T, float(value))
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            fix = "; write it in quotes" if kind is str and isinstance(value, int | float) else ""
            raise self.error(key, f"must be {KIND_NAMES[kind]}, not {_kind(value)}{fix}")
        return value

    def strings(self, key: str) -> tuple[str, ...]:
        """A list of texts; empty where the key is absent."""
        values: list[object] = self.read(key, list, [])
        for value in values:
            if not isinstance(value, str):
                raise self.error(key, f"must be a list of texts, and holds {value!r}")
        return tuple(cast(list[str], values))

    def each(self, key: str, build: Callable[["Fields", str], T]) -> dict[str, T]:
        """A mapping of names to mappings, each of which ``build`` turns into a value."""
        items = self.fields(key)
        return {
            name: build(Fields(self._path, value, f"{items._where}.{name}"), name)
            for name, value in items._data.items()
        }

    def fields(self, key: str) -> "Fields":
        """The mapping under a key; empty where the key is absent."""
        return Fields(self._path, self.read(key, dict, {}), f"{self._where}.{key}".lstrip("."))

    def lists(self, key: str) -> dict[str, tuple[str, ...]]:
        """A mapping of names to lists of texts; empty where the key is absent."""
        items = self.fields(key)
        return {name: items.strings(name) for name in items._data}

    def expressions(self, key: str) -> dict[str, str]:
        """A mapping of names to expressions, with or without the leading ``= ``."""
        items = self.fields(key)
        return {
            name: str(items.value(name)).removeprefix(EXPRESSION_PREFIX) for name in items._data
        }

    def value(self, key: str) -> Value:
        """A scalar; required."""
        self._known.append(key)
        value = self._data.get(key)
        if not isinstance(value, int | float | str | bool):
            raise self.error(key, f"must be a number, text or boolean, not {_kind(value)}")
        return value

    def mapping(self, key: str) -> dict[str, Provided]:
        """A mapping of free form; empty where the key is absent."""
        return cast(dict[str, Provided], self.read(key, dict, {}))

    def list_of(self, key: str, build: Callable[["Fields"], T]) -> tuple[T, ...]:
        """A list of mappings, each of which ``build`` turns into a value."""
        values: list[object] = self.read(key, list, [])
        return tuple(
            build(Fields(self._path, value, f"{self._where}.{key}[{index}]".lstrip(".")))
            for index, value in enumerate(values)
        )

    def finish(self) -> None:
        """Raises for the first key that nobody read, naming the nearest known one."""
        for key in self._data:
            if key not in self._known:
                near = get_close_matches(key, self._known, n=1, cutoff=0.5)
                hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(self._known)}"
                raise self.error(key, f"unknown key; {hint}")


def read_axis(source: Source, name: str) -> Axis:
    """The axis that an axis.yaml declares, without parts."""
    fields = Fields(source.path, load_yaml(source))
    axis = Axis(
        name=name,
        title=fields.read("title", str),
        question=fields.read("question", str),
        order=fields.read("order", int),
        when=fields.lists("when"),
        unless=fields.lists("unless"),
        parts={},
    )
    fields.finish()
    return axis


def read_part(
    source: Source,
    axis: str,
    variant: str,
    files: Mapping[str, Path],
    fragments: Mapping[str, Path],
) -> Part:
    """The part that a part.yaml declares, with the files that lie beside it."""
    fields = Fields(source.path, load_yaml(source))
    part = Part(
        axis=axis,
        variant=variant,
        title=fields.read("title", str),
        help=fields.read("help", str),
        reason=fields.read("reason", str, ""),
        source=fields.read("source", str, ""),
        order=fields.read("order", int),
        requires=fields.lists("requires"),
        conflicts=fields.lists("conflicts"),
        because=fields.read("because", str, ""),
        options=fields.each("options", _option),
        derived=fields.expressions("derived"),
        rules=fields.list_of("rules", _rule),
        estimates=fields.expressions("estimates"),
        shares=fields.expressions("shares"),
        dependencies=fields.strings("dependencies"),
        dev_dependencies=fields.strings("dev_dependencies"),
        provides=fields.mapping("provides"),
        files=files,
        fragments=fragments,
        like=fields.read("like", str, ""),
    )
    fields.finish()
    _check_names(fields, part)
    return part


def read_addition(fields: Fields) -> Addition:
    """What is added to a part; raises TemplateError."""
    addition = Addition(
        options=fields.each("options", _option),
        derived=fields.expressions("derived"),
        rules=fields.list_of("rules", _rule),
        dependencies=fields.strings("dependencies"),
        dev_dependencies=fields.strings("dev_dependencies"),
        provides=fields.mapping("provides"),
    )
    fields.finish()
    _check_names(fields, addition)
    return addition


def _check_names(fields: Fields, part: Part | Addition) -> None:
    for text in (*part.dependencies, *part.dev_dependencies):
        if not is_requirement(text):
            raise fields.error("dependencies", f"{text!r} is no requirement such as 'torch>=2.11'")
    for name in (*part.options, *part.derived):
        if not NAME.fullmatch(name):
            raise fields.error(name, "must be a lower-case Python name")
        if name in part.options and name in part.derived:
            raise fields.error(name, "is both an option and a derived value")


def _option(fields: Fields, name: str) -> Option:
    types = get_args(OptionType)
    type_name = fields.read("type", str)
    if type_name not in types:
        raise fields.error("type", f"{type_name!r} is none of {', '.join(types)}")
    choices = tuple(cast(list[Value], fields.read("choices", list, [])))
    if (type_name == "choice") != bool(choices):
        raise fields.error("choices", "must be given for the type 'choice', and only there")
    config = fields.read("config", str, "")
    if config and not CONFIG_KEY.fullmatch(config):
        raise fields.error("config", f"{config!r} must have the form group.key")
    option = Option(
        name=name,
        type=cast(OptionType, type_name),
        default=_default(fields, type_name, choices),
        minimum=_limit(fields, "minimum"),
        maximum=_limit(fields, "maximum"),
        choices=choices,
        ask=fields.read("ask", bool, False),
        help=fields.read("help", str),
        reason=fields.read("reason", str, ""),
        config=config or None,
        unless=fields.lists("unless"),
    )
    fields.finish()
    return option


def _default(fields: Fields, type_name: str, choices: tuple[Value, ...]) -> Value:
    default = fields.value("default")
    if isinstance(default, str) and default.startswith(EXPRESSION_PREFIX):
        return default
    if type_name == "choice":
        if default not in choices:
            raise fields.error("default", f"{default!r} is none of {list(choices)}")
        return default
    if type_name == "float":
        return _float(fields, "default")
    # `type[Value]` cannot be spelled for a union: the table of types decides.
    checked: Value = fields.read("default", PYTHON_TYPES[type_name])
    return checked


def _limit(fields: Fields, key: str) -> int | float | None:
    if not fields.has(key):
        fields.read(key, int, 0)
        return None
    value = fields.value(key)
    return _float(fields, key) if isinstance(value, str | bool) else value


def _float(fields: Fields, key: str) -> float:
    """A number; YAML 1.1 takes 1e-5, which has no point, for text."""
    value = fields.value(key)
    try:
        if not isinstance(value, bool):
            return float(value)
    except ValueError:
        pass
    raise fields.error(key, f"must be a number, not {_kind(value)}")


def _rule(fields: Fields) -> Rule:
    rule = Rule(
        id=fields.read("id", str),
        check=str(fields.value("check")).removeprefix(EXPRESSION_PREFIX),
        keys=fields.strings("keys"),
        reason=fields.read("reason", str),
        fix=fields.read("fix", str),
    )
    fields.finish()
    return rule


def load_yaml(source: Source) -> object:
    """What a YAML file holds; raises TemplateError."""
    try:
        return yaml.load(source.content, Loader=LOADER)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # 2026-99-99 is a ValueError
        raise TemplateError(f"{source.path}: not valid YAML: {error}") from None


def _kind(value: object) -> str:
    """A value as YAML's user would call it."""
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case str():
            return f"the text {value!r}"
        case dict() | list():
            return f"{KIND_NAMES[type(value)]}, {value!r}"
        case _:
            return f"{type(value).__name__} {value}"
