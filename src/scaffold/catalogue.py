"""The catalogue: every axis, part and frame there is, read once from one or more template trees."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from scaffold.declarations import read_axis, read_part
from scaffold.errors import TemplateError
from scaffold.inheritance import extended, inherited, meant_too
from scaffold.migration_check import check_migrations
from scaffold.migration_file import MIGRATIONS_FILE, read_migrations
from scaffold.migrations import TOOL, Migration, like_now
from scaffold.parts import Addition, Axis, Option, Part, Rule
from scaffold.sources import Source, read_tree

__all__ = [
    "Axis",
    "Catalogue",
    "Layer",
    "Option",
    "Part",
    "Rule",
    "default_layers",
    "default_roots",
    "make_catalogue",
    "read_catalogue",
]

AXIS_FILE = "axis.yaml"
PART_FILE = "part.yaml"


@dataclass(frozen=True, eq=False)  # compared by identity, and so hashable
class Catalogue:
    """All there is to choose from, and every template file in memory.

    ``frames`` and ``data`` map output paths (with ``package`` for the package) to template files;
    ``sources`` holds the content of each template file; ``digest`` is the sha256 of them all.
    ``header`` are the lines at the head of every program of the project; ``migrations`` say
    what became of earlier names, tree by tree.
    """

    axes: Mapping[str, Axis]
    frames: Mapping[str, Path]
    data: Mapping[str, Path]
    sources: Mapping[Path, Source]
    digest: str
    header: tuple[str, ...] = ()
    migrations: tuple[Migration, ...] = ()


@dataclass(frozen=True)
class Layer:
    """One template tree in memory, and what it adds to the parts of earlier ones, by part.

    ``name`` is the id of a pack.
    """

    root: Path
    files: Mapping[str, Source]
    additions: Mapping[str, Addition] = field(default_factory=dict)
    name: str = TOOL


def default_roots() -> tuple[Path, ...]:
    """The template tree of this tool: inside the wheel, or beside src/ in a checkout."""
    package = Path(__file__).resolve().parent
    for root in (package / "templates", package.parent.parent / "templates"):
        if (root / "parts").is_dir():
            return (root,)
    raise TemplateError(f"no templates found beside {package}: reinstall the tool")


def read_catalogue(*roots: Path) -> Catalogue:
    """Reads template trees; a later root adds parts and files to the earlier ones or replaces them.

    Raises TemplateError, naming file and key, where a declaration breaks its schema.
    """
    return make_catalogue(_layers(roots or default_roots()))


def default_layers() -> tuple[Layer, ...]:
    """The template tree of this tool in memory."""
    return _layers(default_roots())


def _layers(roots: Iterable[Path]) -> tuple[Layer, ...]:
    return tuple(Layer(root, read_tree(root)) for root in roots)


def make_catalogue(layers: Iterable[Layer]) -> Catalogue:
    """The catalogue of template trees in memory, laid over each other; raises TemplateError."""
    axes: dict[str, Axis] = {}
    frames: dict[str, Path] = {}
    data: dict[str, Path] = {}
    sources: dict[Path, Source] = {}
    trees = []
    likes: dict[tuple[str, str], str] = {}
    migrations: tuple[Migration, ...] = ()
    for layer in layers:
        own = read_migrations(layer.files.get(MIGRATIONS_FILE), layer.name)
        migrations = (*own, *migrations)  # what a pack says may be in names that are older
        tree = layer.files
        trees.append(tree)
        sources.update((source.path, source) for source in tree.values())
        frames.update(_below(tree, "frames/"))
        data.update(_below(tree, "data/"))
        _add_parts(axes, layer.root, tree)
        likes |= _inherit(axes, migrations)
        for part_id, addition in layer.additions.items():
            _add_to_part(axes, layer.root, part_id, addition)
    axes = meant_too(axes, likes) if likes else axes
    ordered = sorted(axes.values(), key=lambda axis: (axis.order, axis.name))
    _check_references(axes)
    check_migrations(axes, migrations)
    return Catalogue(
        axes=MappingProxyType({axis.name: _with_order(axis) for axis in ordered}),
        frames=MappingProxyType(frames),
        data=MappingProxyType(data),
        sources=MappingProxyType(sources),
        digest=_digest(trees),
        migrations=migrations,
    )


def _add_parts(axes: dict[str, Axis], root: Path, tree: Mapping[str, Source]) -> None:
    """Adds the axes and parts of one tree, in which every folder must have its declaration."""
    folders: dict[str, dict[str, dict[str, Source]]] = {}
    for path, source in tree.items():
        area, _, rest = path.partition("/")
        if area != "parts" or not rest:
            continue
        axis, _, rest = rest.partition("/")
        variant, separator, rest = rest.partition("/")
        if separator:
            folders.setdefault(axis, {}).setdefault(variant, {})[rest] = source
        elif variant == AXIS_FILE:
            folders.setdefault(axis, {})
            axes[axis] = replace(read_axis(source, axis), parts=_parts(axes, axis))
        else:
            raise TemplateError(f"{source.path}: belongs to no part; parts are folders")
    for axis, variants in folders.items():
        if axis not in axes:
            raise TemplateError(f"{root / 'parts' / axis}: has no {AXIS_FILE}")
        parts = {**axes[axis].parts}
        for variant, files in variants.items():
            if PART_FILE in files or variant not in parts:
                folder = root / "parts" / axis / variant
                parts[variant] = _part(folder, axis, variant, files)
            else:
                parts[variant] = _with_files(parts[variant], files)
        axes[axis] = replace(axes[axis], parts=parts)


def _inherit(axes: dict[str, Axis], migrations: Sequence[Migration]) -> dict[tuple[str, str], str]:
    """Gives the parts that are like others what those have; tells which is like which."""
    likes: dict[tuple[str, str], str] = {}
    for name, axis in axes.items():
        now = {
            variant: replace(part, like=like_now(migrations, name, part.like))
            if part.like
            else part
            for variant, part in axis.parts.items()
        }
        likes |= {(name, variant): part.like for variant, part in now.items() if part.like}
        parts = {
            variant: inherited(now, part) if part.like else part for variant, part in now.items()
        }
        axes[name] = replace(axis, parts=parts)
    return likes


def _parts(axes: Mapping[str, Axis], name: str) -> Mapping[str, Part]:
    return axes[name].parts if name in axes else {}


def _part(folder: Path, axis: str, variant: str, files: Mapping[str, Source]) -> Part:
    declaration = files.get(PART_FILE)
    if declaration is None:
        raise TemplateError(f"{folder}: has no {PART_FILE}")
    _check_folders(files)
    return read_part(
        declaration, axis, variant, _below(files, "files/"), _below(files, "fragments/")
    )


def _check_folders(files: Mapping[str, Source]) -> None:
    for path, source in files.items():
        if path != PART_FILE and path.split("/")[0] not in ("files", "fragments"):
            raise TemplateError(f"{source.path}: a part holds {PART_FILE}, files/ and fragments/")


def _with_files(part: Part, files: Mapping[str, Source]) -> Part:
    """A part of an earlier tree with the files and fragments of a later one."""
    _check_folders(files)
    return replace(
        part,
        files={**part.files, **_below(files, "files/")},
        fragments={**part.fragments, **_below(files, "fragments/")},
    )


def _add_to_part(axes: dict[str, Axis], root: Path, part_id: str, addition: Addition) -> None:
    axis, _, variant = part_id.partition("/")
    part = axes[axis].parts.get(variant) if axis in axes else None
    where = f"{root}: extend.{part_id}"
    if part is None:
        raise TemplateError(f"{where}: there is no such part")
    parts = {**axes[axis].parts, variant: extended(part, addition, where)}
    axes[axis] = replace(axes[axis], parts=parts)


def _below(tree: Mapping[str, Source], prefix: str) -> dict[str, Path]:
    """The files under a folder of a tree, by their path below it."""
    return {
        path.removeprefix(prefix): source.path
        for path, source in tree.items()
        if path.startswith(prefix)
    }


def _with_order(axis: Axis) -> Axis:
    parts = sorted(axis.parts.values(), key=lambda part: (part.order, part.variant))
    return replace(axis, parts=MappingProxyType({part.variant: part for part in parts}))


def _check_references(axes: Mapping[str, Axis]) -> None:
    """Raises where a condition names an axis or variant that does not exist."""
    for axis in axes.values():
        for name, condition in (("when", axis.when), ("unless", axis.unless)):
            _check_condition(axes, f"parts/{axis.name}/{AXIS_FILE}: {name}", condition)
        for part in axis.parts.values():
            for name, condition in (("requires", part.requires), ("conflicts", part.conflicts)):
                _check_condition(axes, f"parts/{part.id}/{PART_FILE}: {name}", condition)
            for option in part.options.values():
                where = f"parts/{part.id}/{PART_FILE}: options.{option.name}.unless"
                _check_condition(axes, where, option.unless)


def _check_condition(
    axes: Mapping[str, Axis], where: str, condition: Mapping[str, tuple[str, ...]]
) -> None:
    for name, variants in condition.items():
        if name not in axes:
            raise TemplateError(f"{where}: there is no axis {name!r}: {', '.join(axes)}")
        for variant in variants:
            if variant not in axes[name].parts:
                known = ", ".join(axes[name].parts)
                raise TemplateError(f"{where}: {name} has no variant {variant!r}: {known}")


def _digest(trees: Iterable[Mapping[str, Source]]) -> str:
    """sha256 over the path, mode and content of every template file, root after root, by path."""
    total = hashlib.sha256()
    for tree in trees:
        for path, source in sorted(tree.items()):
            content = hashlib.sha256(source.content).hexdigest()
            total.update(f"{path}\0{source.mode:o}\0{content}\n".encode())
        total.update(b"\0")
    return total.hexdigest()
