"""Makes the render plan: which files there are, who owns each, and what goes into every slot."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Literal

from scaffold.advice import Advice
from scaffold.catalogue import Catalogue
from scaffold.decisions import Decision
from scaffold.design import Choice, Design, Value
from scaffold.errors import TemplateError
from scaffold.estimates import Estimates
from scaffold.frames import read_python
from scaffold.imports import emit, in_place, with_package
from scaffold.parts import Axis, Part, Provided
from scaffold.recommend import advice_for
from scaffold.records import DESIGN_PATH
from scaffold.requirements import unite
from scaffold.slots import SlotFiller
from scaffold.sources import Source

Kind = Literal["copy", "python", "data"]
DATA_SUFFIX = ".jinja"
PACKAGE_FOLDER = "src/package/"
RESERVED = (DESIGN_PATH, ".scaffold/")


@dataclass(frozen=True)
class Chosen:
    """An axis of the design with the part chosen on it."""

    axis: Axis
    part: Part
    choice: Choice


@dataclass(frozen=True)
class PlannedFile:
    """One file of the project.

    ``owner`` is what it comes from: a part (``attention/grouped-query``), ``frames`` or ``data``;
    ``imports`` is the united import block of a Python file; ``fragments`` holds what fills its
    slots, by axis; an axis that is absent from the design has none and fills them with nothing.
    """

    path: str
    owner: str
    kind: Kind
    source: Source
    imports: str
    fragments: Mapping[str, Source]


@dataclass(frozen=True)
class ConfigValue:
    """A run-time value of configs/train.yaml with the comment beside it."""

    name: str
    value: Value
    help: str


@dataclass(frozen=True)
class ConfigGroup:
    """A block of configs/train.yaml."""

    name: str
    values: tuple[ConfigValue, ...]


@dataclass(frozen=True)
class RenderPlan:
    """Everything that a template may see, and every file to render; nothing is left to choose.

    ``header`` are the lines at the head of every program; ``advice`` says how to spread the
    training, where the hardware is known.
    """

    design: Design
    chosen: tuple[Chosen, ...]
    decisions: tuple[Decision, ...]
    estimates: Estimates
    files: tuple[PlannedFile, ...]
    dependencies: tuple[str, ...]
    dev_dependencies: tuple[str, ...]
    provides: Mapping[str, Provided]
    config: tuple[ConfigGroup, ...]
    header: tuple[str, ...] = ()
    advice: Advice | None = None


@dataclass(frozen=True)
class _Candidate:
    path: str
    owner: str
    source: Source


def make_plan(
    catalogue: Catalogue, design: Design, decisions: Sequence[Decision], estimates: Estimates
) -> RenderPlan:
    """The plan of a design; a pure function.

    Raises TemplateError with every broken rule between frames and fragments at once: a file with
    two owners, a slot without macro, a macro without slot, more than eight slots in a frame.
    """
    chosen = tuple(
        Chosen(catalogue.axes[choice.axis], _part(catalogue, choice), choice) for choice in design
    )
    problems: list[str] = []
    package = design.project.package
    candidates = _candidates(catalogue, chosen, package, problems)
    first_party = frozenset({package, *_import_roots(candidates)})
    filler = SlotFiller(catalogue, [item.part for item in chosen])
    files = tuple(
        _planned_file(candidate, filler, package, first_party) for candidate in candidates
    )
    problems += filler.finish()
    if problems:
        raise TemplateError("\n".join(problems))
    parts = [item.part for item in chosen]
    return RenderPlan(
        design=design,
        chosen=chosen,
        decisions=tuple(decisions),
        estimates=estimates,
        files=files,
        dependencies=unite(name for part in parts for name in part.dependencies),
        dev_dependencies=unite(name for part in parts for name in part.dev_dependencies),
        provides=MappingProxyType(_provides(parts)),
        config=_config(chosen),
        header=catalogue.header,
        advice=advice_for(catalogue, design),
    )


def _part(catalogue: Catalogue, choice: Choice) -> Part:
    return catalogue.axes[choice.axis].parts[choice.variant]


def _candidates(
    catalogue: Catalogue, chosen: Iterable[Chosen], package: str, problems: list[str]
) -> list[_Candidate]:
    """Every file of the project by output path, each with one owner."""
    trees = [("frames", catalogue.frames), ("data", catalogue.data)]
    trees += [(item.part.id, item.part.files) for item in chosen]
    owners: dict[str, _Candidate] = {}
    for owner, tree in trees:
        for name, path in tree.items():
            output = output_path(name, package)
            candidate = _Candidate(output, owner, catalogue.sources[path])
            # Folding case: on some file systems the two would be one file.
            other = owners.setdefault(output.casefold(), candidate)
            if other is not candidate:
                problems.append(f"{output}: belongs to both {other.owner} and {owner}")
            if output.casefold().startswith(RESERVED):
                problems.append(f"{path}: {output} is written by the tool itself")
    for name, candidate in owners.items():
        for folder in PurePosixPath(name).parents:
            if str(folder) in owners:
                other = owners[str(folder)]
                problems.append(f"{candidate.path}: {other.owner} has a file {other.path}")
    return sorted(owners.values(), key=lambda candidate: candidate.path)


def output_path(name: str, package: str) -> str:
    """Where a file of the template tree stands in a project."""
    if name.startswith(PACKAGE_FOLDER):
        name = f"src/{package}/{name.removeprefix(PACKAGE_FOLDER)}"
    pieces = name.removesuffix(DATA_SUFFIX).split("/")
    return "/".join(
        f".{piece.removeprefix('dot-')}" if piece.startswith("dot-") else piece for piece in pieces
    )


def _import_roots(candidates: Iterable[_Candidate]) -> set[str]:
    """The top-level folders with Python files, which count as first party beside the package."""
    paths = [candidate.path for candidate in candidates if candidate.path.endswith(".py")]
    return {path.split("/")[0] for path in paths if "/" in path} - {"src"}


def _planned_file(
    candidate: _Candidate, filler: SlotFiller, package: str, first_party: frozenset[str]
) -> PlannedFile:
    path, owner, source = candidate.path, candidate.owner, candidate.source
    if source.path.name.endswith(DATA_SUFFIX):
        return PlannedFile(path, owner, "data", source, "", {})
    if not path.endswith(".py"):
        return PlannedFile(path, owner, "copy", source, "", {})
    filled = filler.fill(path, source)
    block = emit(frozenset(with_package(item, package) for item in filled.imports), first_party)
    imports = in_place(read_python(source).header, block)
    return PlannedFile(path, owner, "python", source, imports, filled.fragments)


def _config(chosen: Iterable[Chosen]) -> tuple[ConfigGroup, ...]:
    groups: dict[str, list[ConfigValue]] = {}
    for item in chosen:
        for option in item.part.options_of(item.choice):
            if option.config is not None:
                group, _, name = option.config.partition(".")
                value = item.choice.options[option.name]
                groups.setdefault(group, []).append(ConfigValue(name, value, option.help))
    return tuple(ConfigGroup(name, tuple(values)) for name, values in groups.items())


def _provides(parts: Iterable[Part]) -> dict[str, Provided]:
    merged: dict[str, Provided] = {}
    for part in parts:
        _merge(merged, part.provides, part.id)
    return merged


def _merge(target: dict[str, Provided], more: Mapping[str, Provided], owner: str) -> None:
    """Adds one part's ``provides``: lists grow, mappings merge, other values must agree."""
    for key, value in more.items():
        old = target.get(key)
        if isinstance(value, list) and isinstance(old, list | None):
            target[key] = [*(old or []), *value]
        elif isinstance(value, dict) and isinstance(old, dict | None):
            inner = target[key] = dict(old or {})
            _merge(inner, value, owner)
        elif old is None or old == value:
            target[key] = value
        else:
            raise TemplateError(f"parts/{owner}: provides.{key} is {value!r}, elsewhere {old!r}")
