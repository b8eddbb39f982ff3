"""Renders a plan into a tree in memory, with Jinja's sandbox; templates see only the plan."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePath
from types import SimpleNamespace
from typing import TypeAlias

from jinja2 import StrictUndefined, Template
from jinja2.exceptions import TemplateError as JinjaError
from jinja2.exceptions import TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from scaffold.errors import TemplateError
from scaffold.formats import FILTERS
from scaffold.frames import EACH, Passage, Piece, Slot, place, read_fragment, read_python
from scaffold.imports import Header, rename_package
from scaffold.limits import note
from scaffold.parts import Provided
from scaffold.plan import PlannedFile, RenderPlan
from scaffold.sources import Source

Names: TypeAlias = Mapping[str, object]
PROGRAMS = (".py", ".sh")  # what a header stands in
PYTHON_NAMES = ("design", "package", "project")
_TEMPLATE = "<template>"  # what Jinja calls the file of a text
_FAILURES = (
    JinjaError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,  # a recursion without end, too
    TypeError,
    ValueError,
)
LONGEST_TEXT = 8 * 2**20  # characters of one file


@dataclass(frozen=True)
class RenderedFile:
    """The content of a file and its mode, one of ``modes``; a rendered one is no link."""

    content: bytes
    mode: int


Tree: TypeAlias = Mapping[str, RenderedFile]


def render(plan: RenderPlan) -> Tree:
    """Every file of the plan by its path, sorted; a pure function of the plan.

    Raises TemplateError naming template and line where a template asks for what is not there.
    """
    names = _names(plan)
    header = _comment(plan.header)
    return {
        file.path: RenderedFile(_headed(file, _content(file, names), header), file.source.mode)
        for file in plan.files
    }


def _comment(lines: Sequence[str]) -> bytes:
    return "".join(f"# {line}".rstrip() + "\n" for line in lines).encode()


def _headed(file: PlannedFile, content: bytes, header: bytes) -> bytes:
    """A program with the header above it, and below the line that names its interpreter."""
    if not header or not content or not file.path.endswith(PROGRAMS):
        return content
    first, line_end, rest = content.partition(b"\n")
    if content.startswith(b"#!"):
        return first + line_end + header + rest
    return header + (b"" if content.startswith(b"#") else b"\n") + content


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
        "advice": plan.advice,
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
        return _render(_data_environment(), [Passage(Path("provides", where), 1, value)], names)
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
        return _render(_data_environment(), [Passage(source.path, 1, source.text)], names).encode()
    package = str(names["package"])
    return rename_package(_python(file, names), package).encode()


def _python(file: PlannedFile, names: Names) -> str:
    template = read_python(file.source)
    passages = tuple(_passages(file, template.pieces))
    # Once the slots are filled, few files have a tag left, and to compile one takes milliseconds.
    if template.is_tagged and any("{{" in passage.text for passage in passages):
        visible = {name: names[name] for name in PYTHON_NAMES}
        return _render(_python_environment(), passages, visible)
    return "".join(passage.text for passage in passages)


def _passages(file: PlannedFile, pieces: Iterable[Piece]) -> Iterator[Passage]:
    """What a Python file consists of, with the imports and the macros in their places.

    Macros have no arguments: their text can be filled in as it stands, before Jinja sees the file.
    """
    for piece in pieces:
        match piece:
            case Passage():
                yield piece
            case Header():
                yield Passage(file.source.path, piece.first + 1, file.imports)
            case Slot():
                for axis, fragment in file.fragments.items():
                    macros = read_fragment(fragment).macros
                    if piece.axis == axis or (piece.axis == EACH and piece.name in macros):
                        yield from _passages(file, macros[piece.name].pieces)


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, in which a template cannot follow a path of the plan to the disk."""

    def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:
        """Whether a template may read an attribute."""
        if isinstance(obj, PurePath):
            return False
        return super().is_safe_attribute(obj, attr, value)


@lru_cache(maxsize=1)
def _python_environment() -> ImmutableSandboxedEnvironment:
    return _Sandbox(
        block_start_string="# {%",
        comment_start_string="# {#",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        optimized=False,  # most are rendered once
    )


@lru_cache(maxsize=1)
def _data_environment() -> ImmutableSandboxedEnvironment:
    environment = _Sandbox(
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        optimized=False,  # most are rendered once
    )
    environment.filters.update(FILTERS)
    return environment


@lru_cache(maxsize=4096)
def _compile(environment: ImmutableSandboxedEnvironment, text: str) -> Template:
    return environment.from_string(text)


def _render(
    environment: ImmutableSandboxedEnvironment, passages: Sequence[Passage], names: Names
) -> str:
    note(str(passages[0].path))
    try:
        text = "".join(passage.text for passage in passages)
        rendered = _compile(environment, text).render(names)
        rendered.encode()  # what is no text in any encoding is a mistake of the template
    except TemplateSyntaxError as error:
        raise TemplateError(f"{place(passages, error.lineno)}: {error.message}") from None
    except _FAILURES as error:
        raise TemplateError(f"{place(passages, _line(error))}: {error}") from None
    if len(rendered) > LONGEST_TEXT:
        raise TemplateError(f"{passages[0].path}: gives more than {LONGEST_TEXT} characters")
    return rendered


def syntax_problem(source: Source) -> str | None:
    """What Jinja does not understand of a data template; None if it is well."""
    try:
        _data_environment().parse(source.text)
    except TemplateSyntaxError as error:
        return f"{source.path}:{error.lineno}: {error.message}"
    except RecursionError:
        return f"{source.path}: is nested too deeply"
    return None


def _line(error: Exception) -> int:
    """The innermost line of the template that an error came from."""
    line = 1
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == _TEMPLATE:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
