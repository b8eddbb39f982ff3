"""Presets still render to the trees that were last looked at."""

from collections.abc import Mapping
from difflib import unified_diff

import pytest
import regen

LARGEST_TREE = 250_000  # bytes: what a reviewer may be asked to read


def difference(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> str:
    """A unified diff of two trees."""
    lines: list[str] = []
    for path in sorted({*old, *new}):
        before, after = (tree.get(path, b"").decode().splitlines(True) for tree in (old, new))
        names = [path if path in tree else "/dev/null" for tree in (old, new)]
        lines += unified_diff(before, after, names[0], names[1])
    return "".join(lines)


@pytest.mark.parametrize("preset", regen.PRESETS)
def test_a_preset_renders_to_its_golden_tree(preset: str) -> None:
    old, new = regen.kept(preset), regen.rendered(preset)
    # Compared first as a whole: a file may differ where no line does.
    if old != new:
        pytest.fail(
            f"{preset} renders to other files than before. If that is meant, run\n"
            "    python -m tests.golden.regen\n"
            f"and commit what it writes.\n\n{difference(old, new)}",
            pytrace=False,
        )


@pytest.mark.parametrize("preset", regen.PRESETS)
def test_a_golden_tree_is_small_enough_to_be_read(preset: str) -> None:
    assert sum(map(len, regen.kept(preset).values())) < LARGEST_TREE


def test_a_difference_is_shown_line_by_line() -> None:
    text = difference({"a.py": b"one\ntwo\n", "b.py": b"x\n"}, {"a.py": b"one\n2\n"})
    assert "-two\n+2\n" in text
    assert "--- b.py\n+++ /dev/null\n" in text
