"""The design: every choice made, typed and frozen, with nothing left to ask."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

Value = int | float | str | bool


@dataclass(frozen=True)
class Choice:
    """The variant chosen on one axis, with the value of each of its options."""

    axis: str
    variant: str
    options: Mapping[str, Value]

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", MappingProxyType(dict(self.options)))


@dataclass(frozen=True)
class Project:
    """What the project is called: ``name`` for people and pip, ``package`` for ``import``."""

    name: str
    package: str
    description: str


@dataclass(frozen=True)
class Design:
    """A project and one choice per axis, in the order of the axes; all rules between them hold.

    ``values`` is the flat namespace of expressions: all options and derived values of the chosen
    parts. ``origins`` says where each key's value came from: default, preset, file or flag.
    """

    project: Project
    choices: Mapping[str, Choice]
    values: Mapping[str, Value]
    origins: Mapping[str, str]

    def __post_init__(self) -> None:
        for name in ("choices", "values", "origins"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __getitem__(self, axis: str) -> Choice:
        return self.choices[axis]

    def __iter__(self) -> Iterator[Choice]:
        return iter(self.choices.values())
