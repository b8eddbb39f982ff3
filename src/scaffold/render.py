"""Renders a plan into a tree in memory, with Jinja's sandbox; templates see only the plan."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import TypeAlias

from jinja2 import StrictUndefined, Template
from jinja2.exceptions import TemplateError as JinjaError
from jinja2.exceptions import TemplateSyntaxError
from jinja2.sandbox import SandboxedEnvironment

from scaffold.errors import TemplateError
from scaffold.formats import FILTERS
from scaffold.frames import EACH, Slot, imports_placeholder, read_python
from scaffold.imports import rename_package
from scaffold.parts import Provided
from scaffold.plan import PlannedFile, RenderPlan

Names: TypeAlias = Mapping[str, object]
PYTHON_NAMES = ("design", "package", "project")


@dataclass(frozen=True)
class RenderedFile:
    """The content of a file and its mode: 0o644, or 0o755 if it is executable."""

    content: bytes
    mode: int


Tree: TypeAlias = Mapping[str, RenderedFile]


def render(plan: RenderPlan) -> Tree:
    """Every file of the plan by its path, sorted; a pure function of the plan.

    Raises TemplateError naming template and line where a template asks for what is not there.
    """
    names = _names(plan)
    return {file.path: RenderedFile(_content(file, names), file.source.mode) for file in plan.files}


def _names(plan: RenderPlan) -> Names:
    """What data templates see; those in Python see ``design``, ``package`` and ``project``."""
    design = SimpleNamespace(
        **{
            item.choice.axis: SimpleNamespace(
                **item.choice.options,
                **{name: plan.design.values[name] for name in item.part.derived},
            )
            for item in plan.chosen
        }
    )
    names: dict[str, object] = {
        "design": design,
        "project": plan.design.project,
        "package": plan.design.project.package,
        "chosen": plan.chosen,
        "decisions": plan.decisions,
        "estimates": plan.estimates,
        "dependencies": plan.dependencies,
        "dev_dependencies": plan.dev_dependencies,
        "config": plan.config,
        "files": tuple(file.path for file in plan.files),
    }
    provides = {key: _fill_in(value, names, key) for key, value in plan.provides.items()}
    return {**names, "provides": provides}


def _fill_in(value: Provided, names: Names, where: str) -> Provided:
    """A value that a part provides, with ``{{package}}`` and the like in its texts filled in."""
    if isinstance(value, str) and "{{" in value:
        path = Path("provides", where)
        return _render(_compile(_data_environment(), value, path), names, [path])
    if isinstance(value, list):
        return [_fill_in(item, names, where) for item in value]
    if isinstance(value, dict):
        return {key: _fill_in(item, names, f"{where}.{key}") for key, item in value.items()}
    return value


def _content(file: PlannedFile, names: Names) -> bytes:
    source = file.source
    if file.kind == "copy":
        return source.content
    if file.kind == "data":
        template = _compile(_data_environment(), source.text, source.path)
        return _render(template, names, [source.path]).encode()
    package = str(names["package"])
    return rename_package(_python(file, names), package).encode()


def _python(file: PlannedFile, names: Names) -> str:
    source = file.source
    python = read_python(source)
    if not python.is_tagged:
        lines = source.text.split("\n")
        before, after = lines[: python.header.first], lines[python.header.last :]
        return "".join(f"{line}\n" for line in before) + file.imports + "\n".join(after)
    paths = [source.path, *(fragment.path for fragment in file.fragments.values())]
    axes = {slot.axis for slot in file.slots} - {EACH}
    namespaces = {
        axis: _namespace(file, axis, names, paths) for axis in (*file.fragments, *sorted(axes))
    }
    namespaces[EACH] = _every(file, [namespaces[axis] for axis in file.fragments])
    template = _compile(_python_environment(), imports_placeholder(source), source.path)
    values = {name: names[name] for name in PYTHON_NAMES}
    return _render(template, {**values, **namespaces, "imports": file.imports}, paths)


def _namespace(file: PlannedFile, axis: str, names: Names, paths: Iterable[Path]) -> object:
    """The macros of the chosen part; empty ones for an axis that this design does not have."""
    if axis not in file.fragments:
        slots: Iterable[Slot] = (slot for slot in file.slots if slot.axis == axis)
        return SimpleNamespace(**{slot.name: str for slot in slots})
    fragment = file.fragments[axis]
    template = _compile(_python_environment(), fragment.text, fragment.path)
    try:
        return template.make_module({name: names[name] for name in PYTHON_NAMES})
    except (JinjaError, ArithmeticError, TypeError, ValueError) as error:
        raise _located(error, paths) from None


def _every(file: PlannedFile, namespaces: Iterable[object]) -> object:
    """The macros of the same name of all chosen parts, one after the other."""

    def joined(name: str) -> str:
        return "".join(
            getattr(namespace, name)() for namespace in namespaces if hasattr(namespace, name)
        )

    slots = {slot.name for slot in file.slots if slot.axis == EACH}
    return SimpleNamespace(**{name: partial(joined, name) for name in slots})


@lru_cache(maxsize=1)
def _python_environment() -> SandboxedEnvironment:
    return SandboxedEnvironment(
        block_start_string="# {%",
        comment_start_string="# {#",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )


@lru_cache(maxsize=1)
def _data_environment() -> SandboxedEnvironment:
    environment = SandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(FILTERS)
    return environment


@lru_cache(maxsize=4096)
def _compile(environment: SandboxedEnvironment, text: str, path: Path) -> Template:
    try:
        code = environment.compile(text, str(path), str(path))
    except TemplateSyntaxError as error:
        raise TemplateError(f"{path}:{error.lineno}: {error.message}") from None
    return Template.from_code(environment, code, environment.make_globals(None))


def _render(template: Template, names: Names, paths: Iterable[Path]) -> str:
    try:
        return template.render(names)
    except (JinjaError, ArithmeticError, TypeError, ValueError) as error:
        raise _located(error, paths) from None


def _located(error: Exception, paths: Iterable[Path]) -> TemplateError:
    """The error with the innermost template line that it came from."""
    files = {str(path) for path in paths}
    place = ""
    traceback = error.__traceback__
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if file in files:
            place = f"{file}:{traceback.tb_lineno}: "
        traceback = traceback.tb_next
    return TemplateError(f"{place}{error}")
