"""Changing one option changes the lines that belong to it, and no others.

What belongs to a variant: its whole files; in a frame, the lines of its macros; in the documents,
the text that speaks of it; and its run-time values. A file without a slot for the axis stays as it
is, byte for byte, apart from imports.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher

import pytest
import yaml
from rendering import BASES, Given, Rendering, flips, parse, pinned_answers, render_answers

from scaffold.catalogue import Catalogue
from scaffold.frames import read_fragment
from scaffold.imports import read_header
from scaffold.parts import Part
from scaffold.plan import PlannedFile

DOCUMENTS = ("README.md", "DESIGN.md")
RECORDS = (".scaffold/lock.yaml", ".scaffold/base.tar.bz2")
DATA = ("scaffold.yaml", "configs/train.yaml", "pyproject.toml")
TAG = re.compile(r"\{\{.*?\}\}")


def changed_lines(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that go and those that come, without empty ones."""
    old, new = before.splitlines(), after.splitlines()
    gone, come = [], []
    for tag, *ends in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            gone += old[slice(*ends[:2])]
            come += new[slice(*ends[2:])]
    return _filled(gone), _filled(come)


def _filled(lines: Iterable[str]) -> list[str]:
    return [line for line in lines if line.strip()]


def body(text: str) -> str:
    """A Python file without its import block, which follows from the rest."""
    header = read_header(text)
    lines = text.split("\n")
    return "\n".join(lines[: header.first] + lines[header.last :])


def family(catalogue: Catalogue, axis: str) -> list[str]:
    """The axis, and those that exist, or have an option, only beside some of its variants."""
    return [
        axis,
        *(
            name
            for name, other in catalogue.axes.items()
            if axis in (*other.when, *other.unless)
            or any(
                axis in option.unless
                for it in other.parts.values()
                for option in it.options.values()
            )
        ),
    ]


def stray_lines(
    lines: Iterable[str], planned: PlannedFile | None, axes: Iterable[str]
) -> list[str]:
    """The lines that do not stand in the fragments that fill the axes' slots in a file."""
    fragments = planned.fragments if planned else {}
    filling = {axis for axis in axes if axis in fragments}
    # What another axis fills in a macro is called for by the macro.
    filling |= {
        slot.axis
        for axis in filling
        for macro in read_fragment(fragments[axis]).macros.values()
        for slot in macro.slots
        if slot.axis in fragments
    }
    own = [line for axis in filling for line in fragments[axis].text.splitlines()]
    patterns = [_pattern(line) for line in own]
    return [line for line in lines if not any(pattern.fullmatch(line) for pattern in patterns)]


def _pattern(line: str) -> re.Pattern[str]:
    """Matches a line of a fragment with any values filled in."""
    return re.compile(".*".join(re.escape(piece) for piece in TAG.split(line)))


def owned_by(rendering: Rendering, axis: str) -> set[str]:
    return {file.path for file in rendering.plan.files if file.owner.partition("/")[0] == axis}


def planned(rendering: Rendering, path: str) -> PlannedFile | None:
    return next((file for file in rendering.plan.files if file.path == path), None)


def moved(before: Rendering, after: Rendering) -> set[str]:
    """The axes of both designs on which they differ."""
    chosen = {choice.axis: choice.variant for choice in before.design}
    return {
        choice.axis
        for choice in after.design
        if chosen.get(choice.axis, choice.variant) != choice.variant
    }


def part(catalogue: Catalogue, rendering: Rendering, axis: str) -> Part:
    return catalogue.axes[axis].parts[rendering.design[axis].variant]


def findings(catalogue: Catalogue, axis: str, before: Rendering, after: Rendering) -> Iterator[str]:
    """Everything that a flip of one axis changes beyond what belongs to it."""
    kin = family(catalogue, axis)
    owned = set[str]().union(*(owned_by(item, one) for item in (before, after) for one in kin))
    for path in sorted({*before.tree, *after.tree} - owned):
        if path not in before.tree or path not in after.tree:
            yield f"{path}: is there in one design only, and is no file of {axis}"
            continue
        old, new = before.tree[path], after.tree[path]
        if old == new or path in (*DOCUMENTS, *RECORDS, *DATA):
            continue
        if not path.endswith(".py"):
            gone, come = changed_lines(old.content.decode(), new.content.decode())
            speaks = _says(catalogue, before, axis) | _says(catalogue, after, axis)
            yield from (f"{path}: {line}" for line in gone + come if not _belongs(line, speaks))
            continue
        gone, come = changed_lines(body(old.content.decode()), body(new.content.decode()))
        stray = stray_lines(gone, planned(before, path), kin)
        stray += stray_lines(come, planned(after, path), kin)
        yield from (f"{path}: {line}" for line in stray)
    yield from _data_findings(catalogue, axis, before, after)


def _says(catalogue: Catalogue, rendering: Rendering, axis: str) -> set[str]:
    """The texts that a part provides for data files."""
    found: set[str] = set()
    open_values: list[object] = [part(catalogue, rendering, axis).provides]
    while open_values:
        value = open_values.pop()
        if isinstance(value, Mapping):
            open_values += value.values()
        elif isinstance(value, list):
            open_values += value
        else:
            found.add(str(value))
    return found


def _belongs(line: str, speaks: Iterable[str]) -> bool:
    return any(
        piece.strip() and piece.strip() in line for text in speaks for piece in TAG.split(text)
    )


def _data_findings(
    catalogue: Catalogue, axis: str, before: Rendering, after: Rendering
) -> Iterator[str]:
    """What changes in the data files under keys that are not the axis's own."""
    old_parts, new_parts = part(catalogue, before, axis), part(catalogue, after, axis)
    both = (old_parts, new_parts)
    old, new = (_yaml(item, "scaffold.yaml") for item in (before, after))
    kin = family(catalogue, axis)
    yield from (f"scaffold.yaml: {key}" for key in _differing(old, new) if key not in kin)

    own = {option.config for each in both for option in each.options.values() if option.config}
    old, new = (_flat(_yaml(item, "configs/train.yaml")) for item in (before, after))
    yield from (f"configs/train.yaml: {key}" for key in _differing(old, new) if key not in own)

    texts = {text for each in both for text in (*each.dependencies, *each.dev_dependencies)}
    texts |= _says(catalogue, before, axis) | _says(catalogue, after, axis)
    gone, come = changed_lines(
        before.tree["pyproject.toml"].content.decode(),
        after.tree["pyproject.toml"].content.decode(),
    )
    yield from (f"pyproject.toml: {line}" for line in gone + come if not _belongs(line, texts))
    for item in (before, after):
        tomllib.loads(item.tree["pyproject.toml"].content.decode())


def _yaml(rendering: Rendering, path: str) -> dict[str, object]:
    loaded: dict[str, object] = yaml.safe_load(rendering.tree[path].content)
    return loaded


def _flat(groups: Mapping[str, object]) -> dict[str, object]:
    return {
        f"{group}.{key}": value
        for group, values in groups.items()
        if isinstance(values, Mapping)
        for key, value in values.items()
    }


def _differing(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    return sorted(key for key in {*old, *new} if old.get(key) != new.get(key))


@pytest.mark.parametrize("title", BASES)
def test_another_variant_changes_its_own_lines(catalogue: Catalogue, title: str) -> None:
    # A micro-batch that fits to any number of devices, so that no flip has to move it.
    base = {**BASES[title], "training.batch_size": 64, "training.micro_batch_size": 4}
    before = render_answers(catalogue, base)
    tried = set()
    found = []
    for axis, variant, answers in flips(catalogue, base):
        if axis in base:
            continue
        # Several machines change how a run is started, too.
        has_nodes = "n_nodes" in catalogue.axes[axis].parts[variant].options
        one_node = {f"{axis}.n_nodes": 1} if has_nodes else {}
        after = render_answers(catalogue, {**answers, **one_node})
        if moved(before, after) - {axis, *family(catalogue, axis)}:
            continue  # a variant that needs another one elsewhere is no flip of one axis
        tried.add(axis)
        found += [
            f"{axis} = {variant}: {text}" for text in findings(catalogue, axis, before, after)
        ]
    assert not found, "\n".join(found)
    assert {"normalization", "feed_forward", "optimizer", "precision", "parallelism"} <= tried


VALUES: Mapping[str, tuple[str, Given, Mapping[str, int]]] = {
    "layers": (
        "language model",
        {"task.n_layers": 7},
        {"src/tiny_run/model/hyperparameters.py": 1},
    ),
    "key and value heads": (
        "language model",
        {"attention.n_kv_heads": 3},
        {"src/tiny_run/model/hyperparameters.py": 1},
    ),
    "steps": ("language model", {"training.steps": 4000}, {"configs/train.yaml": 1}),
    "learning rate": (
        "images",
        {"optimizer.learning_rate": 0.0007},
        {"configs/train.yaml": 1},
    ),
    "hidden width": (
        "images",
        {"feed_forward.hidden_dim": 96},
        {"src/tiny_run/model/hyperparameters.py": 1},
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_another_value_changes_one_line(catalogue: Catalogue, name: str) -> None:
    title, change, expected = VALUES[name]
    pinned = pinned_answers(parse(catalogue, BASES[title]))
    assert pinned | dict(change) != pinned
    before = render_answers(catalogue, pinned)
    after = render_answers(catalogue, {**pinned, **change})
    changed = {
        path: len(changed_lines(before.texts()[path], after.texts()[path])[1])
        for path in _text_paths(before)
        if before.tree[path] != after.tree[path]
    }
    assert changed.pop("scaffold.yaml") == 1
    assert {path: n for path, n in changed.items() if path not in DOCUMENTS} == expected


def test_another_name_changes_no_line_of_code_but_those_with_the_name(catalogue: Catalogue) -> None:
    base = BASES["language model"]
    one = render_answers(catalogue, {**base, "project.name": "tiny-run"})
    two = render_answers(catalogue, {**base, "project.name": "another-and-longer-name"})
    for path in _text_paths(one):
        other = path.replace("tiny_run", "another_and_longer_name")
        renamed = two.tree[other].content.decode()
        renamed = renamed.replace("another_and_longer_name", "tiny_run")
        renamed = renamed.replace("another-and-longer-name", "tiny-run")
        texts = (_without_layout(path, text) for text in (one.texts()[path], renamed))
        assert changed_lines(*texts) == ([], []), path


def test_a_stray_change_is_found(catalogue: Catalogue) -> None:
    """A flip of two axes at once is no flip of one."""
    base = pinned_answers(parse(catalogue, BASES["language model"]))
    before = render_answers(catalogue, base)
    kept = {key: value for key, value in base.items() if not key.startswith("feed_forward")}
    both = render_answers(
        catalogue, {**kept, "feed_forward": "gelu", "normalization": "layer-norm"}
    )
    found = list(findings(catalogue, "normalization", before, both))
    assert "scaffold.yaml: feed_forward" in found
    assert any(text.startswith("src/tiny_run/model/feed_forward.py: ") for text in found)
    assert any(text.startswith("src/tiny_run/model/__init__.py: ") for text in found)


def _without_layout(path: str, text: str) -> str:
    """Without what the length of a name shapes: columns of commands, imports in tests."""
    return body(text) if path.endswith(".py") else re.sub(r" +(?=#)", " ", text)


def _text_paths(rendering: Rendering) -> list[str]:
    return [path for path in rendering.tree if not path.startswith(".scaffold/")]
