"""Slots and macros fit together in every design, not only in those that happen to be rendered."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scaffold.catalogue import Catalogue
from scaffold.completion import complete
from scaffold.frames import EACH, Slot, read_fragment, read_python
from scaffold.parts import Part
from scaffold.sources import Source


@dataclass(frozen=True)
class Frame:
    """A file with slots, or a macro for it that has some, and the variants that bring it."""

    path: str
    source: Source
    needs: Mapping[str, str]
    slots: tuple[Slot, ...]


def frames(catalogue: Catalogue) -> Iterator[Frame]:
    """Every file with slots, those that a part brings too, and every macro with slots."""
    found = list(files_with_slots(catalogue))
    for frame in found:  # which grows by the macros with slots
        yield frame
        for slot in frame.slots:
            for part in parts(catalogue):
                fragment = fragment_of(catalogue, part, frame.path)
                if slot.axis not in (part.axis, EACH) or fragment is None:
                    continue
                macro = read_fragment(fragment).macros.get(slot.name)
                if macro is not None and macro.slots and occurs_with(catalogue, frame, part):
                    needs = {**frame.needs, part.axis: part.variant}
                    found.append(Frame(frame.path, fragment, needs, macro.slots))


def files_with_slots(catalogue: Catalogue) -> Iterator[Frame]:
    """Every file with slots: the frames, and those that a part brings."""
    trees: list[tuple[Mapping[str, str], Mapping[str, Source]]] = [
        ({}, {path: catalogue.sources[file] for path, file in catalogue.frames.items()})
    ]
    for part in parts(catalogue):
        files = {path: catalogue.sources[file] for path, file in part.files.items()}
        trees.append(({part.axis: part.variant}, files))
    for needs, tree in trees:
        for path, source in tree.items():
            if path.endswith(".py") and read_python(source).slots:
                yield Frame(path, source, needs, read_python(source).slots)


def parts(catalogue: Catalogue) -> Iterator[Part]:
    for axis in catalogue.axes.values():
        yield from axis.parts.values()


def occurs_with(catalogue: Catalogue, frame: Frame, part: Part) -> bool:
    """Whether some design has both the frame and the part."""
    if part.axis in frame.needs:
        return frame.needs[part.axis] == part.variant
    return complete(catalogue, {**frame.needs, part.axis: part.variant}) is not None


def fragment_of(catalogue: Catalogue, part: Part, path: str) -> Source | None:
    """The part's fragment for a frame: the one that names the most of the frame's path."""
    fitting = [name for name in part.fragments if f"/{path}".endswith(f"/{name}")]
    return catalogue.sources[part.fragments[max(fitting, key=len)]] if fitting else None


def test_every_slot_has_a_macro_in_every_part_that_can_meet_it(catalogue: Catalogue) -> None:
    missing = []
    met = 0
    for frame in frames(catalogue):
        for slot in frame.slots:
            if slot.axis == EACH:
                continue  # which nobody has to fill
            place = f"{frame.source.path}:{slot.line}"
            assert slot.axis in catalogue.axes, f"{place}: no axis {slot.axis}"
            for part in catalogue.axes[slot.axis].parts.values():
                if not occurs_with(catalogue, frame, part):
                    continue
                met += 1
                fragment = fragment_of(catalogue, part, frame.path)
                if fragment is None or slot.name not in read_fragment(fragment).macros:
                    missing.append(f"{part.id} for {slot.axis}.{slot.name}() of {frame.path}")
    assert not missing, "\n".join(missing)
    assert met > len(catalogue.axes)


def test_every_macro_has_a_slot(catalogue: Catalogue) -> None:
    all_frames = list(frames(catalogue))
    left = []
    for part in parts(catalogue):
        for name, path in part.fragments.items():
            asked = {
                slot.name
                for frame in all_frames
                if f"/{frame.path}".endswith(f"/{name}") and occurs_with(catalogue, frame, part)
                for slot in frame.slots
                if slot.axis in (part.axis, EACH)
            }
            macros = read_fragment(catalogue.sources[path]).macros
            left += [f"{path}: {macro}" for macro in macros if macro not in asked]
            assert macros, f"{path} holds no macro"
    assert not left, "\n".join(left)


def test_every_part_occurs_in_some_design(catalogue: Catalogue) -> None:
    for part in parts(catalogue):
        assert complete(catalogue, {part.axis: part.variant}) is not None, part.id
