"""Raw answers with their origins: preset, file and flags laid over each other, in that order."""

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from scaffold.answer_file import read_answer_file
from scaffold.catalogue import Catalogue
from scaffold.design import Value
from scaffold.errors import Problem
from scaffold.keys import canonical, known_keys, shown, unknown_key
from scaffold.migrate import Event, migrate

ANSWERS_FLAG = "--answers"  # the key of a problem with the file itself
PRESET = "preset"  # the origin of what a preset answers
OPEN = "???"  # what OmegaConf calls a value that is still missing


@dataclass(frozen=True)
class Answer:
    """A value as it was given, and where: preset, file, flag, asked or default."""

    value: Value
    origin: str


Answers: TypeAlias = Mapping[str, Answer]


@dataclass(frozen=True)
class Layer:
    """The answers of one origin, by key; a later layer replaces the values of an earlier one."""

    origin: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class Reading:
    """The merged answers, everything that could not be read, and what has another name by now."""

    answers: Answers
    problems: tuple[Problem, ...]
    events: tuple[Event, ...] = ()


def read_answers(
    catalogue: Catalogue, preset: Mapping[str, str] | None, file: Path | None, sets: Sequence[str]
) -> Reading:
    """Merges a preset, a file of answers and ``key=value`` flags; problems are collected.

    Each may have names of any older version of the templates.
    """
    layers: list[Layer] = []
    problems: list[Problem] = []
    if preset is not None:
        layers.append(Layer(PRESET, preset))
    if file is not None:
        read = read_answer_file(file, ANSWERS_FLAG)
        layers.append(Layer("file", read.values))
        problems += read.problems
    flags, flag_problems = read_flags(sets)
    layers.append(Layer("flag", flags))
    found = {layer.origin: migrate(catalogue.migrations, {}, layer.values) for layer in layers}
    problems += [*flag_problems, *(problem for one in found.values() for problem in one.problems)]
    current = [Layer(origin, one.texts) for origin, one in found.items()]
    reading = merge(catalogue, [layer for layer in current if layer.values])
    own = [one for origin, one in found.items() if origin != PRESET]  # a preset is not the user's
    events = tuple(event for one in own for event in one.events)
    return Reading(reading.answers, (*problems, *reading.problems), events)


def read_flags(sets: Sequence[str]) -> tuple[dict[str, str], list[Problem]]:
    """The values of ``--set key=value`` flags."""
    values: dict[str, str] = {}
    problems = []
    for text in sets:
        name, separator, value = text.partition("=")
        key = canonical(name)
        if not separator or not key:
            rule = "it must have the form axis=variant or axis.option=value"
            problems.append(Problem("--set", shown(text), rule, "write key=value"))
        elif values.setdefault(key, value) != value:
            rule = f"it is set twice (before: {shown(values[key])})"
            problems.append(Problem(shown(key), shown(value), rule, "keep one of the two"))
    return values, problems


def merge(catalogue: Catalogue, layers: Sequence[Layer]) -> Reading:
    """Lays the layers over each other in OmegaConf's struct mode, where unknown keys are errors."""
    if not layers:
        return Reading({}, ())
    omegaconf = importlib.import_module("omegaconf")  # 40 ms that most commands need not spend
    known = known_keys(catalogue)
    config = omegaconf.OmegaConf.create(dict.fromkeys(known, OPEN))
    omegaconf.OmegaConf.set_struct(config, True)
    answers: dict[str, Answer] = {}
    problems = []
    for layer in layers:
        for key, value in _variants_first(layer.values):
            if "${" in value or value == OPEN:
                rule = "`${...}` and `???` are never expanded"
                problems.append(Problem(shown(key), shown(value), rule, "write the value itself"))
                continue
            try:
                config[key] = value
            except omegaconf.errors.OmegaConfBaseException:
                problems.append(unknown_key(key, value, known, catalogue.migrations))
                continue
            if key in catalogue.axes:
                _drop_options(catalogue, answers, key, value)
            answers[key] = Answer(str(config[key]), layer.origin)
    return Reading(answers, tuple(problems))


def _drop_options(
    catalogue: Catalogue, answers: dict[str, Answer], axis: str, variant: str
) -> None:
    """Forgets what an earlier layer set on a variant that this layer replaces by another."""
    part = catalogue.axes[axis].parts.get(variant)
    for key in [key for key in answers if key.startswith(f"{axis}.")]:
        if part is not None and key.removeprefix(f"{axis}.") not in part.options:
            del answers[key]


def _variants_first(values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The values of one layer, axes before the options that belong to the variant."""
    yield from sorted(values.items(), key=lambda item: "." in item[0])
