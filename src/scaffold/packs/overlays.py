"""Overlays: plain copier templates in a pack, rendered by copier with the design as all its data.

Copier gets the template as files that were checked like those of any pack, a design that is settled
(so that it asks nothing), no settings of the user's, and no leave to run anything.
"""

import importlib
import importlib.metadata
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from types import ModuleType

import jinja2
import jinja2.ext
import jinja2.runtime
import jinja2.utils

from scaffold.design import Value
from scaffold.errors import PackError
from scaffold.packs.declaration import Overlay
from scaffold.packs.load import Loaded, OpenPack
from scaffold.packs.overlay_files import files_of
from scaffold.packs.tree import OVERLAYS, read_files
from scaffold.plan import RESERVED, RenderPlan
from scaffold.render import RenderedFile, Tree
from scaffold.sources import Source

# Filters that copier adds to Jinja's: they read the environment or the disk, or differ each time.
OPEN_FILTERS = (
    "ans_random",
    "expanduser",
    "expandvars",
    "fileglob",
    "random",
    "random_mac",
    "realpath",
    "relpath",
    "shuffle",
    "strftime",
)
HIDDEN = ("_copier_python",)  # differs from machine to machine
TOLD = ("answers_file", "dst_path", "src_path")  # of ``_copier_conf``; other settings do so too
OPEN_DATA = ("make_secret", "now")  # what copier gives to every template, likewise
OLDEST = (9, 19, 1)  # earlier ones let templates out of their folder
FAILURES = (
    jinja2.TemplateError,
    ArithmeticError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)


def overlaid(loaded: Loaded, plan: RenderPlan, tree: Tree) -> Tree:
    """The tree with the files of all overlays; raises PackError."""
    for pack in loaded.packs:
        for name, overlay in pack.declaration.overlays.items():
            tree = _laid_over(tree, pack, name, overlay, plan)
    return tree


def _laid_over(tree: Tree, pack: OpenPack, name: str, overlay: Overlay, plan: RenderPlan) -> Tree:
    place = f"pack {pack.declaration.id}: {OVERLAYS}{name}"
    more = _rendered(place, f"{OVERLAYS}{name}", files_of(pack.files, name), _data(plan))
    taken = {path.casefold(): path for path in tree}
    every = [*tree, *more]
    folders_of = {
        str(folder).casefold() for path in every for folder in PurePosixPath(path).parents
    }
    problems = []
    for path in more:
        folders = [str(folder).casefold() for folder in PurePosixPath(path).parents]
        there = taken.get(path.casefold())
        if path.casefold().startswith(RESERVED):
            problems.append(f"{place}: {path} is written by the tool itself")
        elif any(folder in taken for folder in folders):
            problems.append(f"{place}: {path} would stand below a file")
        elif path.casefold() in folders_of:
            problems.append(f"{place}: {path} is a folder of the project")
        elif there is not None and there not in overlay.replaces:
            fix = "list it under `replaces` of the overlay, or leave it out"
            problems.append(f"{place}: {there} is there already; {fix}")
    problems += [
        f"{place}: replaces: {path} is not in both" for path in overlay.replaces if path not in more
    ]
    if problems:
        raise PackError(problems)
    return dict(sorted({**tree, **more}.items()))


def _rendered(
    place: str, source: str, files: Mapping[str, Source], data: Mapping[str, object]
) -> Tree:
    """What copier makes of a template, in memory; copier's answers name ``source`` as its place."""
    copier = _copier()
    with tempfile.TemporaryDirectory(prefix="scaffold-overlay-") as folder:
        template, output = Path(folder, "template"), Path(folder, "output")
        for path, item in files.items():
            file = template / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(item.content)
            file.chmod(item.mode)
        try:
            with _closed_filters():
                copier.run_copy(
                    str(template),
                    output,
                    data={**data, **{name: jinja2.Undefined(name=name) for name in OPEN_DATA}},
                    settings=copier.Settings(),
                    defaults=True,
                    quiet=True,
                    unsafe=False,
                    skip_tasks=True,
                )
            found = read_files(output) if output.is_dir() else {}
        except PackError as error:
            raise PackError([f"{place}: {problem}" for problem in error.problems]) from None
        except (copier.errors.CopierError, *FAILURES) as error:
            said = " ".join(str(error).replace(folder, "").split())
            raise PackError([f"{place}: copier refuses: {said}"]) from None
        names = {str(template): source, folder: source}  # copier tells where it works
        return {path: RenderedFile(_told(item, names), item.mode) for path, item in found.items()}


def _told(item: Source, names: Mapping[str, str]) -> bytes:
    """The content of a file, with names that are the same each time in place of others."""
    content = item.content
    for name, other in names.items():
        content = content.replace(os.fsencode(name), other.encode())
    return content


class _Reproducible(jinja2.runtime.Context):
    """What templates see, without what copier adds of the machine."""

    def resolve_or_missing(self, key: str) -> object:
        if key in HIDDEN:
            return jinja2.utils.missing
        found: object = super().resolve_or_missing(key)
        if key == "_copier_conf" and isinstance(found, Mapping):
            return {name: found[name] for name in TOLD}
        return found


@contextmanager
def _closed_filters() -> Iterator[None]:
    """Without the filters by which templates see more than their data.

    copier gives Jinja an extension by its name, and has no setting for what is in it.
    """
    module = importlib.import_module("jinja2_ansible_filters")
    original = module.AnsibleCoreFiltersExtension

    def close(extension: jinja2.ext.Extension, environment: jinja2.Environment) -> None:
        original.__init__(extension, environment)
        for name in OPEN_FILTERS:
            environment.filters.pop(name, None)
        environment.context_class = _Reproducible

    closed = type(original.__name__, (original,), {"__init__": close})
    module.__dict__[original.__name__] = closed
    try:
        yield
    finally:
        module.__dict__[original.__name__] = original


def _copier() -> ModuleType:
    """copier, which takes a second to import and need not be installed."""
    try:
        found = importlib.metadata.version("copier")
    except importlib.metadata.PackageNotFoundError:
        found = "0"
    numbers = tuple(int(digits) for digits in re.findall(r"\d+", found)[:3])
    if numbers < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise PackError([f"an overlay needs copier; python -m pip install 'copier>={oldest}'"])
    return importlib.import_module("copier")


def _data(plan: RenderPlan) -> dict[str, object]:
    """All that a template can ask for: ``attention``, ``attention_n_kv_heads``, ``design``."""
    project = plan.design.project
    data: dict[str, object] = {
        "project_name": project.name,
        "package": project.package,
        "description": project.description,
    }
    design: dict[str, dict[str, Value]] = {}
    for choice in plan.design:
        data[choice.axis] = choice.variant
        data |= {f"{choice.axis}_{name}": value for name, value in choice.options.items()}
        design[choice.axis] = {"variant": choice.variant, **choice.options}
    return {**data, "design": design}
