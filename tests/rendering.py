"""Renders designs in memory and writes them to disk, for tests of all kinds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scaffold.answers import Answer
from scaffold.catalogue import Catalogue
from scaffold.decisions import decide
from scaffold.design import Design, Value
from scaffold.equivalent import all_answers
from scaffold.errors import DesignError
from scaffold.estimates import estimate
from scaffold.lock import seal
from scaffold.parse import parse_design
from scaffold.plan import RenderPlan, make_plan
from scaffold.presets import find_preset, presets_root
from scaffold.records import BASE_PATH
from scaffold.render import Tree, render

NAME = "tiny-run"
Given = Mapping[str, Value]
BASES: Mapping[str, Given] = {
    "language model": {"task": "language-model"},
    "images": {"task": "image-classification"},
}


@dataclass(frozen=True)
class Rendering:
    """A design with its plan and the whole tree, lock and base archive included."""

    design: Design
    plan: RenderPlan
    tree: Tree

    @property
    def source(self) -> str:
        """The folder of the package: ``src/tiny_run/``."""
        return f"src/{self.design.project.package}/"

    def texts(self, start: str = "", end: str = "") -> dict[str, str]:
        """The files whose path starts and ends so, as text; without the archive."""
        return {
            path: file.content.decode()
            for path, file in self.tree.items()
            if path.startswith(start) and path.endswith(end) and path != BASE_PATH
        }


def parse(catalogue: Catalogue, given: Given) -> Design:
    """The design of these answers; the rest takes its default."""
    named: dict[str, Value] = {"project.name": NAME, **given}
    return parse_design(catalogue, {key: Answer(value, "flag") for key, value in named.items()})


def render_answers(catalogue: Catalogue, given: Given) -> Rendering:
    """Renders the design of these answers."""
    design = parse(catalogue, given)
    plan = make_plan(catalogue, design, decide(catalogue, design), estimate(catalogue, design))
    return Rendering(design, plan, seal(catalogue, plan, render(plan)))


def preset_answers(name: str) -> Given:
    """The answers of a preset that belongs to the tool."""
    return dict(find_preset(presets_root(), name).answers)


def pinned_answers(design: Design) -> dict[str, Value]:
    """Every value of a design as an answer, so that no default can move."""
    return {key: answer.value for key, answer in all_answers(design).items()}


def flips(catalogue: Catalogue, base: Given) -> Iterator[tuple[str, str, Given]]:
    """(axis, variant, answers) for every other variant of one axis that fits to the base.

    All other values stay as they are in the base, as far as the flipped variant allows it.
    """
    design = parse(catalogue, base)
    pinned = pinned_answers(design)
    for choice in design:
        for variant in catalogue.axes[choice.axis].parts:
            if variant == choice.variant:
                continue
            start = f"{choice.axis}."
            kept = {key: value for key, value in pinned.items() if not key.startswith(start)}
            for answers in ({**kept, choice.axis: variant}, {**base, choice.axis: variant}):
                try:
                    parse(catalogue, answers)
                except DesignError:
                    continue
                yield choice.axis, variant, answers
                break


def covering_answers(catalogue: Catalogue) -> Iterator[tuple[str, Given]]:
    """Named designs in which every variant occurs that fits to a default design."""
    for title, base in BASES.items():
        yield title, base
        for axis, variant, answers in flips(catalogue, base):
            if axis not in base:
                yield f"{title}, {axis} = {variant}", answers


def write_tree(tree: Tree, folder: Path) -> None:
    """Writes the files of a tree below a folder."""
    for path, file in tree.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
        target.chmod(file.mode)


def read_folder(folder: Path) -> dict[str, tuple[bytes, int]]:
    """(content, mode) of every file below a folder, by its path from there."""
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
