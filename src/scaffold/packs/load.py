"""Loads packs: finds them, checks them, and lays them over the templates of the tool."""

import hashlib
import importlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scaffold.catalogue import Catalogue, Layer, default_layers, make_catalogue
from scaffold.errors import PackError, TemplateError
from scaffold.keys import shown
from scaffold.limits import loosen, tighten
from scaffold.lock import PackRecord
from scaffold.migrations import versions
from scaffold.packs.declaration import Declaration, read_declaration
from scaffold.packs.files import collisions, file_problems, read_presets
from scaffold.packs.names import taken_names
from scaffold.packs.overlay_files import overlay_problems
from scaffold.packs.reference import (
    COMMIT,
    FLAG,
    GIT,
    FolderReference,
    GitReference,
    PackageReference,
    Reference,
    parse_reference,
)
from scaffold.packs.tree import PACK_FILE, read_folder
from scaffold.plan import RenderPlan
from scaffold.policy import ruled
from scaffold.presets import Preset
from scaffold.records import LOCK_PATH
from scaffold.render import Tree, render
from scaffold.sources import Source

PART_PIECES = 3  # AXIS/VARIANT/part.yaml, below parts/


@dataclass(frozen=True)
class OpenPack:
    """A pack in memory; ``commit`` is empty unless it comes from a git repository."""

    reference: Reference
    commit: str
    files: Mapping[str, Source]
    declaration: Declaration

    @property
    def digest(self) -> str:
        """sha256 over the path and content of every file: the same wherever the pack lies."""
        total = hashlib.sha256()
        for path, source in sorted(self.files.items()):
            total.update(f"{path}\0{hashlib.sha256(source.content).hexdigest()}\n".encode())
        return total.hexdigest()

    @property
    def own_parts(self) -> frozenset[tuple[str, str]]:
        """The (axis, variant) pairs that the pack adds, replaces or extends."""
        ids = set(self.declaration.additions)
        for path in self.files:
            area, *pieces = path.split("/")
            if area == "parts" and len(pieces) >= PART_PIECES:
                ids.add("/".join(pieces[:2]))
        return frozenset(
            (axis, variant) for axis, _, variant in (id_.partition("/") for id_ in ids)
        )

    def recorded(self, project: Path) -> PackRecord:
        """What the lock of a project says of the pack."""
        text = _seen_from(project, self.reference)
        declaration = self.declaration
        return PackRecord(declaration.id, declaration.version, self.digest, text, self.commit)


@dataclass(frozen=True)
class Loaded:
    """The tool's templates with packs laid over them, under their policy."""

    catalogue: Catalogue
    packs: tuple[OpenPack, ...] = ()
    presets: tuple[Preset, ...] = ()

    @property
    def references(self) -> tuple[str, ...]:
        """The packs as they were named."""
        return tuple(pack.reference.text for pack in self.packs)

    @property
    def has_overlays(self) -> bool:
        """Whether copier has something to render, too."""
        return any(pack.declaration.overlays for pack in self.packs)

    def recorded(self, project: Path) -> tuple[PackRecord, ...]:
        """What the lock of a project says of the packs."""
        newest = versions(self.catalogue.migrations)
        records = (pack.recorded(project) for pack in self.packs)
        return tuple(replace(pack, migrations=newest.get(pack.id, 0)) for pack in records)


def load(references: Sequence[str], start: Path) -> Loaded:
    """The packs that references name, laid over the tool's templates in their order.

    Relative folders are seen from ``start``. Raises PackError with every reason at once.
    """
    return _loaded(references, lambda text: open_pack(parse_reference(text, start)))


def load_locked(
    packs: Sequence[PackRecord], project: Path, *, pinned: bool, may_fetch: bool = True
) -> Loaded:
    """The packs of a project's lock over the tool's templates; raises PackError.

    ``pinned`` takes git repositories as they were applied; otherwise tags and branches mean what
    they do now. Whoever did not write the lock wants no fetching from where it says.
    """
    require_whole(packs)
    commits = {pack.reference: pack.commit for pack in packs}

    def opened(text: str) -> OpenPack:
        # A lock has a path for a folder; a plain name is a package, whatever the project holds.
        reference = parse_reference(text, project, is_recorded=True)
        return open_pack(reference, commits[text] if pinned else "", may_fetch)

    return _loaded([pack.reference for pack in packs], opened)


def _loaded(references: Sequence[str], opened: Callable[[str], OpenPack]) -> Loaded:
    """The packs of all references, each opened; from then on the limits hold."""
    packs: list[OpenPack] = []
    problems: list[str] = []
    for text in dict.fromkeys(references):
        try:
            packs.append(opened(text))
        except PackError as error:
            problems += named(text, error)
    if problems:
        raise PackError(problems)
    tighten()
    return layered(packs)


def require_whole(packs: Sequence[PackRecord]) -> None:
    """Raises PackError for what is wrong with what a lock says of its packs."""
    problems = [problem for pack in packs for problem in _problems_of_record(pack)]
    if problems:
        raise PackError(problems)


def _problems_of_record(pack: PackRecord) -> Iterator[str]:
    """What is wrong with what a lock says of a pack."""
    if not pack.reference:
        yield f"{LOCK_PATH}: the pack {pack.id} has no reference"
    if pack.commit and not COMMIT.fullmatch(pack.commit):
        yield f"{LOCK_PATH}: {shown(pack.commit)} is no commit that the pack {pack.id} can be at"
    if pack.reference.startswith(GIT) and not pack.commit:
        yield f"{LOCK_PATH}: the pack {pack.id} is at no commit"


def named(text: str, error: PackError) -> list[str]:
    """The problems of a pack, each with its reference; that may hold a password, if it is wrong."""
    return [
        problem if text in problem or problem.startswith(FLAG) else f"{text}: {problem}"
        for problem in error.problems
    ]


def open_pack(reference: Reference, commit: str = "", may_fetch: bool = True) -> OpenPack:
    """A pack in memory, with its own declaration checked; raises PackError.

    ``commit`` pins a git repository to what a lock says.
    """
    found = ""
    files: Mapping[str, Source]
    match reference:  # most commands have no pack, and need not wait for what these import
        case GitReference():
            git = importlib.import_module("scaffold.packs.git")
            pinned = replace(reference, ref=commit or reference.ref)
            found, files = git.read_git(pinned, may_fetch)
        case PackageReference():
            installed = importlib.import_module("scaffold.packs.installed")
            files = read_folder(installed.find_installed(reference))
        case FolderReference():
            files = read_folder(reference.path)
    declaration = read_declaration(files[PACK_FILE])
    return OpenPack(reference, found, files, declaration)


def layered(packs: Sequence[OpenPack]) -> Loaded:
    """Packs in memory laid over the tool's templates; raises PackError."""
    base = default_layers()
    if not packs:
        return Loaded(make_catalogue(base))
    problems = [*_same_ids(packs), *_problems_of_files(packs, base)]
    if problems:
        raise PackError(problems)
    layers = [
        Layer(_root(pack), pack.files, pack.declaration.additions, pack.declaration.id)
        for pack in packs
    ]
    try:
        catalogue = make_catalogue([*base, *layers])
        presets = [preset for pack in packs for preset in read_presets(pack.files)]
    except TemplateError as error:
        raise PackError([str(error)]) from None
    problems += taken_names(make_catalogue(base), catalogue)
    catalogue = replace(
        catalogue,
        header=tuple(line for pack in packs for line in pack.declaration.header),
    )
    rulings = [ruling for pack in packs for ruling in pack.declaration.policy]
    catalogue, refused = ruled(catalogue, rulings)
    problems += [str(problem) for problem in refused]
    if problems:
        raise PackError(problems)
    return Loaded(catalogue, tuple(packs), tuple(presets))


def make_tree(loaded: Loaded, plan: RenderPlan) -> Tree:
    """The files of a plan, those of overlays too; raises TemplateError and PackError.

    It is the last that is worked out: whoever writes the files must not be ended by a limit.
    """
    tree = render(plan)
    if loaded.has_overlays:  # what copier needs takes a second to import
        tree = importlib.import_module("scaffold.packs.overlays").overlaid(loaded, plan, tree)
    loosen()
    return tree


def _root(pack: OpenPack) -> Path:
    return pack.files[PACK_FILE].path.parent


def _same_ids(packs: Sequence[OpenPack]) -> list[str]:
    ids = [pack.declaration.id for pack in packs]
    named = {pack.declaration.id: pack.reference.text for pack in packs}
    return [
        f"two packs have the id {name}, such as {named[name]}; give one of them"
        for name in dict.fromkeys(ids)
        if ids.count(name) > 1
    ]


def _problems_of_files(packs: Sequence[OpenPack], base: Sequence[Layer]) -> list[str]:
    """What is wrong with the files of each pack, and where they stand in the way of others."""
    problems: list[str] = []
    below = {path for layer in base for path in layer.files}
    for pack in packs:
        problems += file_problems(pack.files)
        problems += collisions(pack.files, pack.declaration.replaces, below)
        problems += overlay_problems(pack.files, pack.declaration)
        below |= pack.files.keys()
    return problems


def _seen_from(project: Path, reference: Reference) -> str:
    """A reference as a project records it: a relative folder as seen from there."""
    text = reference.text
    if not isinstance(reference, FolderReference):
        return text
    if text.startswith("~") or Path(text).is_absolute():
        return text
    try:
        relative = os.path.relpath(os.path.realpath(reference.path), os.path.realpath(project))
    except ValueError:  # another drive
        return text
    relative = Path(relative).as_posix()
    return relative if relative.startswith(".") else f"./{relative}"
