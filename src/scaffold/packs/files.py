"""The files of a pack: where they may lie, what they may be called, and what they replace."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from scaffold.catalogue import AXIS_FILE, PART_FILE
from scaffold.declarations import read_axis, read_part
from scaffold.errors import TemplateError
from scaffold.migration_file import MIGRATIONS_FILE, read_migrations
from scaffold.packs.declaration import plain_yaml
from scaffold.packs.tree import OVERLAYS, PACK_FILE, TOP_FILES, path_problem
from scaffold.plan import RESERVED, output_path
from scaffold.presets import Preset, preset_from, presets_root
from scaffold.sources import Source

AXIS = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
VARIANT = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
RESERVED_AXES = ("project", "preset", "each")
PRESETS = "presets/"
PACKAGE = "package"


def file_problems(files: Mapping[str, Source]) -> Iterator[str]:
    """What is wrong with the files of a pack, each looked at by itself."""
    for path, source in files.items():
        area, _, rest = path.partition("/")
        output = rest
        if path == PACK_FILE or path.startswith(OVERLAYS):
            continue
        if path == MIGRATIONS_FILE:
            rule = plain_yaml(source) or _rule_of(partial(read_migrations, source, path))
            yield from [rule] if rule else []
            continue
        if area == "parts":
            yield from _part_problems(path, source)
            *_, output = path.partition("/files/")
        elif area == "presets":
            yield from _preset_problems(path, source)
            continue
        if output:
            yield from _output_problems(path, output)


def collisions(
    files: Mapping[str, Source], replaces: Sequence[str], below: Collection[str]
) -> Iterator[str]:
    """Files that stand in the place of earlier ones without saying so, and the other way round."""
    taken = {*below, *(f"{PRESETS}{path.name}" for path in presets_root().glob("*.yaml"))}
    used = set()
    for path, source in files.items():
        if path in TOP_FILES or path not in taken:
            continue
        declared = {name for name in replaces if path == name or path.startswith(f"{name}/")}
        used |= declared
        if not declared:
            fix = f"give it another name, or list {path} under `replaces` of {PACK_FILE}"
            yield f"{source.path}: is there already in earlier templates; {fix}"
    for name in replaces:
        if name not in used:
            yield f"{PACK_FILE}: replaces: there is no {name!r} in both the pack and earlier ones"


def read_presets(files: Mapping[str, Source]) -> Iterator[Preset]:
    """The presets of a pack; raises TemplateError."""
    for path, source in files.items():
        if path.startswith(PRESETS):
            yield preset_from(source.text, source.path)


def _part_problems(path: str, source: Source) -> Iterator[str]:
    """What is wrong with the place of a part's file, and with a declaration."""
    _, axis, *rest = path.split("/")
    if not AXIS.fullmatch(axis) or axis in RESERVED_AXES:
        yield f"{source.path}: {axis!r} is no name of an axis (lower case, with `_`)"
    if rest == [AXIS_FILE]:
        rule = plain_yaml(source) or _rule_of(lambda: read_axis(source, axis))
        yield from [rule] if rule else []
    elif len(rest) > 1:
        variant, *inner = rest
        if not VARIANT.fullmatch(variant):
            yield f"{source.path}: {variant!r} is no name of a variant (lower case, with `-`)"
        if inner == [PART_FILE]:
            rule = plain_yaml(source) or _rule_of(lambda: read_part(source, axis, variant, {}, {}))
            yield from [rule] if rule else []
        elif inner[0] not in ("files", "fragments"):
            yield f"{source.path}: a part holds {PART_FILE}, files/ and fragments/"
    else:
        yield f"{source.path}: belongs to no part; parts are folders"


def _preset_problems(path: str, source: Source) -> Iterator[str]:
    name = path.removeprefix(PRESETS).removesuffix(".yaml")
    if not VARIANT.fullmatch(name.replace(".", "-")) or not path.endswith(".yaml"):
        yield f"{source.path}: a preset is a file NAME.yaml in {PRESETS}"
        return
    rule = _rule_of(lambda: preset_from(source.text, source.path))
    yield from [rule] if rule else []


def _output_problems(path: str, name: str) -> Iterator[str]:
    """What is wrong with the place of a file in the project."""
    output = output_path(name, PACKAGE)
    problem = path_problem(output)
    if problem is not None:
        yield f"{path}: its place in a project, {output!r}, {problem}"
    elif output.casefold().startswith(RESERVED):
        yield f"{path}: {output} is written by the tool itself"


def _rule_of(read: Callable[[], object]) -> str | None:
    try:
        read()
    except TemplateError as error:
        return str(error)
    return None
