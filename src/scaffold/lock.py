"""The lock: what was last applied to a project, and the files through which it is recorded."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from scaffold import __version__
from scaffold.base import MODES, base_archive, is_safe
from scaffold.catalogue import Catalogue
from scaffold.decisions import Decision, recommended
from scaffold.declarations import LOADER, Fields
from scaffold.design import Choice, Project, Value
from scaffold.design_file import design_text
from scaffold.errors import ScaffoldError, TemplateError
from scaffold.expressions import evaluate
from scaffold.formats import yaml_block
from scaffold.migrations import TOOL, versions
from scaffold.modes import PLAIN
from scaffold.parts import EXPRESSION_PREFIX
from scaffold.plan import Chosen, RenderPlan
from scaffold.records import BASE_PATH, DESIGN_PATH, LOCK_PATH
from scaffold.render import RenderedFile, Tree

FORMAT = 1
KEY = re.compile(r"[^\s#-]")  # the first character of a line with a key of the whole
LOCKED = "lock"
LONGEST_REASON = 300  # characters of what is wrong with a lock, which may quote any length of it


class LockError(ScaffoldError):
    """The lock of a project cannot be read: damaged, edited, or written by a newer tool."""


@dataclass(frozen=True)
class PackRecord:
    """What a pack was that was laid over the templates of the tool.

    ``reference`` is where it came from, a relative folder as seen from the project; ``commit`` is
    the one that was taken of a git repository; ``migrations`` as in the lock itself.
    """

    id: str
    version: str
    digest: str
    reference: str = ""
    commit: str = ""
    migrations: int = 0


@dataclass(frozen=True)
class FileRecord:
    """What a file was when it was rendered: sha256 of its content, and its mode."""

    sha256: str
    mode: int


@dataclass(frozen=True)
class Left:
    """What an update left open: empty in a new project.

    ``deleted`` are files of the base that the project does not have, since its owner deleted or
    renamed them; ``conflicts`` says by path what the owner has to settle; ``remembered`` are
    answers that the design has no place for now, for when it has one again.
    """

    deleted: tuple[str, ...] = ()
    conflicts: Mapping[str, str] = field(default_factory=dict)
    remembered: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Lock:
    """What was last applied: nothing in it depends on the machine, the place or the time.

    ``at_default`` lists the keys whose value is what the catalogue recommended; ``files`` records
    the files of the base archive; ``migrations`` is how many the templates had, whose names it has.
    """

    tool: str
    catalogue: str
    packs: tuple[PackRecord, ...]
    project: Project
    choices: Mapping[str, Choice]
    at_default: tuple[str, ...]
    decisions: tuple[Decision, ...]
    files: Mapping[str, FileRecord]
    left: Left = field(default_factory=Left)
    migrations: int = 0


def seal(
    catalogue: Catalogue,
    plan: RenderPlan,
    tree: Tree,
    packs: Sequence[PackRecord] = (),
) -> Tree:
    """The rendered tree with scaffold.yaml, the lock and the base archive; a pure function."""
    base = with_design(plan, tree)
    records = record_files(make_lock(catalogue, plan, base, packs), base)
    return dict(sorted({**base, **records}.items()))


def with_design(plan: RenderPlan, tree: Tree) -> Tree:
    """The rendered tree with scaffold.yaml: what the base archive holds."""
    design = RenderedFile(design_text(plan).encode(), PLAIN)
    return dict(sorted({**tree, DESIGN_PATH: design}.items()))


def record_files(lock: Lock, base: Tree) -> Tree:
    """The two files through which it is recorded what was applied: the lock and the archive."""
    return {
        LOCK_PATH: RenderedFile(lock_text(lock).encode(), PLAIN),
        BASE_PATH: RenderedFile(base_archive(base), PLAIN),
    }


def make_lock(
    catalogue: Catalogue, plan: RenderPlan, base: Tree, packs: Sequence[PackRecord] = ()
) -> Lock:
    """The lock of a plan whose files, scaffold.yaml included, are ``base``."""
    return Lock(
        tool=__version__,
        catalogue=catalogue.digest,
        packs=tuple(packs),
        project=plan.design.project,
        choices=plan.design.choices,
        at_default=tuple(
            key for chosen in plan.chosen for key in _keys_at_default(catalogue, plan, chosen)
        ),
        decisions=tuple(plan.decisions),
        files={path: record(file) for path, file in base.items()},
        migrations=versions(catalogue.migrations).get(TOOL, 0),
    )


def record(file: RenderedFile) -> FileRecord:
    """What the lock says of a file."""
    return FileRecord(hashlib.sha256(file.content).hexdigest(), file.mode)


def _keys_at_default(catalogue: Catalogue, plan: RenderPlan, chosen: Chosen) -> list[str]:
    axis, design = chosen.axis.name, plan.design
    keys = [axis] if recommended(catalogue, design, axis) == chosen.part.variant else []
    for option in chosen.part.options_of(chosen.choice):
        default = option.default
        if isinstance(default, str) and default.startswith(EXPRESSION_PREFIX):
            default = evaluate(default, design.values)
        if default == chosen.choice.options[option.name]:
            keys.append(f"{axis}.{option.name}")
    return keys


def lock_text(lock: Lock) -> str:
    """The text of .scaffold/lock.yaml."""
    data: dict[str, object] = {
        "format": FORMAT,
        "tool": lock.tool,
        "catalogue": lock.catalogue,
        "packs": {pack.id: _pack_data(pack) for pack in lock.packs},
        "project": vars(lock.project),
        "design": {
            choice.axis: {"variant": choice.variant, **choice.options}
            for choice in lock.choices.values()
        },
        "at_default": list(lock.at_default),
        "decisions": {
            item.name: {"value": item.value, "because": item.because, "source": item.source}
            for item in lock.decisions
        },
        "files": {
            path: {"sha256": file.sha256, "mode": f"{file.mode:o}"}
            for path, file in lock.files.items()
        },
    }
    left: dict[str, object] = {
        "deleted": list(lock.left.deleted),
        "conflicts": dict(lock.left.conflicts),
        "remembered": dict(lock.left.remembered),
    }
    left |= {"migrations": lock.migrations}
    data |= {name: value for name, value in left.items() if value}
    return "# Written by scaffold: what was last applied to this project. Do not edit.\n" + (
        yaml_block(data)
    )


def read_lock(text: str) -> Lock:
    """The lock in a text; raises LockError naming what is wrong with it."""
    try:
        # A few aliases of aliases stand for more than any memory holds; no lock has one.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=LOADER)):
            raise LockError(f"{LOCK_PATH}: not a lock that can be read, restore it: it has aliases")
        # Of two equal keys YAML takes the last, and another reader the first.
        keys = [line.partition(":")[0] for line in text.splitlines() if KEY.match(line)]
        if len({*keys}) < len(keys):
            raise LockError(f"{LOCK_PATH}: not a lock that can be read, restore it: a key is twice")
        fields = Fields(Path(LOCK_PATH), yaml.load(text, Loader=LOADER))
        if fields.read("format", int) > FORMAT:
            raise LockError(f"{LOCK_PATH}: written by a newer scaffold; upgrade this one")
        lock = _lock(fields)
        fields.finish()
    except (TemplateError, yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:LONGEST_REASON]
        raise LockError(f"{LOCK_PATH}: not a lock that can be read, restore it: {reason}") from None
    for path in (*lock.files, *lock.left.deleted, *lock.left.conflicts):
        if not is_safe(path):
            raise LockError(f"{LOCK_PATH}: files: {path!r} is no path of a project's file")
    return lock


def _lock(fields: Fields) -> Lock:
    return Lock(
        tool=fields.read("tool", str),
        catalogue=fields.read("catalogue", str),
        packs=tuple(fields.each("packs", _pack).values()),
        project=_project(fields.fields("project")),
        choices=fields.each("design", _choice),
        at_default=fields.strings("at_default"),
        decisions=tuple(fields.each("decisions", _decision).values()),
        files=fields.each("files", _file_record),
        left=Left(
            fields.strings("deleted"),
            _texts(fields.fields("conflicts")),
            _values(fields.fields("remembered")),
        ),
        migrations=_count(fields),
    )


def _pack(fields: Fields, name: str) -> PackRecord:
    return PackRecord(
        id=name,
        version=fields.read("version", str),
        digest=fields.read("digest", str),
        reference=fields.read("reference", str, ""),
        commit=fields.read("commit", str, ""),
        migrations=_count(fields),
    )


def _pack_data(pack: PackRecord) -> dict[str, Value]:
    texts = {"version": pack.version, "reference": pack.reference, "commit": pack.commit}
    known: dict[str, Value] = {name: text for name, text in texts.items() if text}
    count = {"migrations": pack.migrations} if pack.migrations else {}
    return {**known, "digest": pack.digest, **count}


def _count(fields: Fields) -> int:
    count = fields.read("migrations", int, 0)
    if count < 0:
        raise fields.error("migrations", f"{count} is no number of migrations")
    return count


def _project(fields: Fields) -> Project:
    return Project(*(fields.read(name, str) for name in ("name", "package", "description")))


def _choice(fields: Fields, axis: str) -> Choice:
    variant = fields.read("variant", str)
    options = {name: fields.value(name) for name in fields.names() if name != "variant"}
    return Choice(axis, variant, options)


def _texts(fields: Fields) -> dict[str, str]:
    return {name: fields.read(name, str) for name in fields.names()}


def _values(fields: Fields) -> dict[str, Value]:
    return {name: fields.value(name) for name in fields.names()}


def _decision(fields: Fields, name: str) -> Decision:
    because, source = fields.read("because", str), fields.read("source", str)
    return Decision(name, fields.value("value"), because, source, LOCKED)


def _file_record(fields: Fields, path: str) -> FileRecord:
    mode = fields.read("mode", str)
    known = {f"{mode:o}": mode for mode in MODES}
    if mode not in known:
        raise fields.error("mode", f"{mode!r} is no mode of {path}")
    return FileRecord(fields.read("sha256", str), known[mode])
