"""What a catalogue is made of: axes, their parts, and what a part declares."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from scaffold.design import Choice, Value
from scaffold.rulings import Ruling

OptionType = Literal["int", "float", "str", "bool", "choice"]
Provided: TypeAlias = "Value | list[Provided] | dict[str, Provided]"
EXPRESSION_PREFIX = "= "


@dataclass(frozen=True)
class Option:
    """A value that the user may set on a part.

    ``default`` is a literal, or an expression over earlier values when it starts with ``"= "``.
    ``config`` is ``group.key`` of configs/train.yaml for a run-time value, None for structure.
    A design in which an axis has a variant that ``unless`` lists does not have the option.
    ``rulings`` are what teams rule about it.
    """

    name: str
    type: OptionType
    default: Value
    minimum: int | float | None
    maximum: int | float | None
    choices: tuple[Value, ...]
    ask: bool
    help: str
    reason: str
    config: str | None
    unless: Mapping[str, tuple[str, ...]]
    rulings: tuple[Ruling, ...] = ()


@dataclass(frozen=True)
class Rule:
    """A condition between values: ``check`` must be true of every design with this part."""

    id: str
    check: str
    keys: tuple[str, ...]
    reason: str
    fix: str


@dataclass(frozen=True)
class Part:
    """One variant of an axis: a folder of real files with its declaration.

    ``shares`` maps axes to the share of their estimates that holds beside this part.
    ``like`` is the variant of the same axis that this one has everything from that it does not say.
    ``files`` maps output paths (with ``package`` for the package) to template files, ``fragments``
    maps a frame's file name, or its last folders and file name, to the fragment for that frame.
    """

    axis: str
    variant: str
    title: str
    help: str
    reason: str
    source: str
    order: int
    requires: Mapping[str, tuple[str, ...]]
    conflicts: Mapping[str, tuple[str, ...]]
    because: str
    options: Mapping[str, Option]
    derived: Mapping[str, str]
    rules: tuple[Rule, ...]
    estimates: Mapping[str, str]
    shares: Mapping[str, str]
    dependencies: tuple[str, ...]
    dev_dependencies: tuple[str, ...]
    provides: Mapping[str, Provided]
    files: Mapping[str, Path]
    fragments: Mapping[str, Path]
    like: str = ""

    @property
    def id(self) -> str:
        """The folder under parts/, which names the part: ``attention/grouped-query``."""
        return f"{self.axis}/{self.variant}"

    def options_of(self, choice: Choice) -> Iterator[Option]:
        """The options that a design with this part has values for."""
        return (option for name, option in self.options.items() if name in choice.options)


@dataclass(frozen=True)
class Addition:
    """What a later template tree adds to a part of an earlier one, beside files and fragments."""

    options: Mapping[str, Option]
    derived: Mapping[str, str]
    rules: tuple[Rule, ...]
    dependencies: tuple[str, ...]
    dev_dependencies: tuple[str, ...]
    provides: Mapping[str, Provided]


@dataclass(frozen=True)
class Axis:
    """One question with its possible answers, the parts, in their order.

    ``when`` limits the axis to designs where each named axis has one of the listed variants,
    ``unless`` to those where none has. ``rulings`` are what teams rule about the variant.
    """

    name: str
    title: str
    question: str
    order: int
    when: Mapping[str, tuple[str, ...]]
    unless: Mapping[str, tuple[str, ...]]
    parts: Mapping[str, Part]
    rulings: tuple[Ruling, ...] = ()
