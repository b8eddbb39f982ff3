"""Golden trees: what a few presets render to, kept so that a change is read in review.

``python -m tests.golden.regen`` rewrites them. Left out is what adds nothing to a review: the lock
and the archive, which follow from the rest, and the tests, which are run instead.
"""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from scaffold.answers import Answer
from scaffold.catalogue import read_catalogue
from scaffold.decisions import decide
from scaffold.estimates import estimate
from scaffold.lock import seal
from scaffold.parse import parse_design
from scaffold.plan import make_plan
from scaffold.presets import find_preset, presets_root
from scaffold.render import render

TREES = Path(__file__).resolve().parent / "trees"
PRESETS = ("pydoc-lm", "digits-vit")
LEFT_OUT = (".scaffold/", "tests/")


def rendered(preset: str) -> dict[str, bytes]:
    """What a preset renders to now, by path below its golden tree."""
    catalogue = read_catalogue()
    texts = {"project.name": preset, **find_preset(presets_root(), preset).answers}
    answers = {key: Answer(text, "preset") for key, text in texts.items()}
    design = parse_design(catalogue, answers)
    plan = make_plan(catalogue, design, decide(catalogue, design), estimate(catalogue, design))
    tree = seal(catalogue, plan, render(plan))
    return {
        _stored(path): file.content for path, file in tree.items() if not path.startswith(LEFT_OUT)
    }


def kept(preset: str) -> dict[str, bytes]:
    """The golden tree of a preset; empty if there is none yet."""
    folder = TREES / preset
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def write(preset: str, tree: Mapping[str, bytes]) -> None:
    """Puts a tree in the place of the golden one."""
    shutil.rmtree(TREES / preset, ignore_errors=True)
    for path, content in tree.items():
        file = TREES / preset / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def _stored(path: str) -> str:
    """The path under which a file is kept: a ``.gitignore`` would be obeyed where it lies."""
    return "/".join(
        f"dot-{piece.removeprefix('.')}" if piece.startswith(".") else piece
        for piece in path.split("/")
    )


def main() -> int:
    """Rewrites every golden tree, and says what changed."""
    for preset in PRESETS:
        old, new = kept(preset), rendered(preset)
        changed = sorted(path for path in {*old, *new} if old.get(path) != new.get(path))
        if changed:
            write(preset, new)
        print(f"{preset}: {len(new)} files, {len(changed)} changed")
        for path in changed:
            print(f"  {'+' if path not in old else '-' if path not in new else '~'} {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
