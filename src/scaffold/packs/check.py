"""Checks a pack in a folder: everything that can be wrong with it is found at once."""

import ast
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

from scaffold.answers import Answer
from scaffold.catalogue import Catalogue, Part, default_layers
from scaffold.completion import complete
from scaffold.covering import Variants, covering_designs, single_variants, with_own
from scaffold.decisions import decide
from scaffold.design import Design
from scaffold.errors import DesignError, PackError, ScaffoldError, TemplateError
from scaffold.estimates import estimate
from scaffold.expressions import names
from scaffold.frames import read_fragment, read_python
from scaffold.keys import known_keys
from scaffold.limits import tighten
from scaffold.migrate import migrate
from scaffold.packs.declaration import Declaration, read_declaration
from scaffold.packs.files import collisions, file_problems
from scaffold.packs.load import Loaded, OpenPack, layered, make_tree
from scaffold.packs.overlay_files import overlay_problems
from scaffold.packs.reference import FolderReference
from scaffold.packs.tree import PACK_FILE, read_folder
from scaffold.parse import parse_design
from scaffold.parts import EXPRESSION_PREFIX
from scaffold.plan import DATA_SUFFIX, RenderPlan, make_plan
from scaffold.presets import Preset
from scaffold.render import syntax_problem
from scaffold.sources import Source

NAME = "checked-pack"


def check_folder(folder: Path) -> list[str]:
    """Every problem of the pack in a folder; empty if it can be used."""
    try:
        files = read_folder(folder)
    except PackError as error:
        return list(error.problems)
    problems: list[str] = []
    declaration: Declaration | None = None
    try:
        declaration = read_declaration(files[PACK_FILE])
    except PackError as error:
        problems += error.problems
    problems += file_problems(files)
    for path, source in files.items():
        problems += _template_problems(path, source)
    if declaration is not None:
        below = {path for layer in default_layers() for path in layer.files}
        problems += collisions(files, declaration.replaces, below)
        problems += overlay_problems(files, declaration)
    if declaration is None or problems:
        return list(dict.fromkeys(problems))
    try:
        pack = OpenPack(FolderReference(str(folder), folder), "", files, declaration)
        loaded = layered([pack])
    except PackError as error:
        return list(error.problems)
    return list(dict.fromkeys(_problems_of_use(loaded, pack)))


def own_designs(loaded: Loaded, own: Set[tuple[str, str]]) -> list[dict[str, str]]:
    """Designs with each variant of a pack beside everything it can meet, and one of each task."""
    catalogue = loaded.catalogue
    first = next(iter(catalogue.axes))
    tasks = {task for task in single_variants(catalogue, [first]) if _exists(catalogue, task)}
    return covering_designs(catalogue, with_own(catalogue, own) | tasks)


def _exists(catalogue: Catalogue, variants: Variants) -> bool:
    return complete(catalogue, dict(variants)) is not None


def make_design(catalogue: Catalogue, answers: Mapping[str, str]) -> Design:
    """The design of some answers, at its defaults."""
    named = {"project.name": NAME, **answers}
    return parse_design(catalogue, {key: Answer(text, "flag") for key, text in named.items()})


def plan_of(catalogue: Catalogue, design: Design) -> RenderPlan:
    """The plan of a design; raises TemplateError."""
    return make_plan(catalogue, design, decide(catalogue, design), estimate(catalogue, design))


def _template_problems(path: str, source: Source) -> Iterator[str]:
    """What is wrong with one template by itself."""
    area, _, rest = path.partition("/")
    if area not in ("parts", "frames", "data") or rest.endswith((".yaml", ".yml")):
        return
    if path.endswith(DATA_SUFFIX):
        try:
            rule = syntax_problem(source)
        except TemplateError as error:  # it is no text
            rule = str(error)
        yield from [rule] if rule else []
    elif path.endswith(".py"):
        try:
            ast.parse(source.text)
            read_fragment(source) if "/fragments/" in path else read_python(source)
        except SyntaxError as error:
            yield f"{source.path}:{error.lineno}: is no Python: {error.msg}"
        except (TemplateError, ValueError, RecursionError) as error:
            yield str(error)


def _problems_of_use(loaded: Loaded, pack: OpenPack) -> Iterator[str]:
    """What shows when designs are made with the pack."""
    catalogue = loaded.catalogue
    own = pack.own_parts
    for axis, variant in sorted(own):
        yield from _expression_problems(catalogue.axes[axis].parts[variant])
    for preset in loaded.presets:
        yield from _preset_problems(catalogue, preset)
    try:
        designs = own_designs(loaded, own)
    except ScaffoldError as error:
        yield str(error)
        return
    covered = {pair for design in designs for pair in design.items()}
    for axis, variant in sorted(own - covered):
        yield f"parts/{axis}/{variant}: no design can have it"
    for answers in designs:
        tighten()  # each has the time of one command
        try:
            make_tree(loaded, plan_of(catalogue, make_design(catalogue, answers)))
        except ScaffoldError as error:
            yield from (f"{_title(answers, own)}: {line}" for line in str(error).splitlines())


def _expression_problems(part: Part) -> Iterator[str]:
    defaults = [option.default for option in part.options.values()]
    texts = [text for text in defaults if str(text).startswith(EXPRESSION_PREFIX)]
    groups = (part.derived, part.estimates, part.shares)
    more = [text for group in groups for text in group.values()]
    for text in (*texts, *more, *(rule.check for rule in part.rules)):
        try:
            names(str(text))
        except TemplateError as error:
            yield f"parts/{part.id}: {error}"


def _preset_problems(catalogue: Catalogue, preset: Preset) -> Iterator[str]:
    known = known_keys(catalogue)
    answers = migrate(catalogue.migrations, {}, preset.answers).texts
    unknown = [key for key in answers if key not in known]
    yield from (f"presets/{preset.name}.yaml: {key}: there is no such key" for key in unknown)
    if not unknown:
        try:
            make_design(catalogue, answers)
        except DesignError as error:
            for problem in error.problems:
                yield f"presets/{preset.name}.yaml: {problem}"


def _title(answers: Mapping[str, str], own: Set[tuple[str, str]]) -> str:
    told = [f"{axis} = {variant}" for axis, variant in answers.items() if (axis, variant) in own]
    return ", ".join(told) or "the default design"
