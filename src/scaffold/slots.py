"""Fills the slots of frames with the macros of the chosen parts, and checks that all fit."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from scaffold.catalogue import Catalogue
from scaffold.frames import EACH, MAX_LEVELS, MAX_SLOTS, Macro, Slot, read_fragment, read_python
from scaffold.imports import Import
from scaffold.parts import Part
from scaffold.sources import Source


@dataclass(frozen=True)
class Filled:
    """What fills one Python file: a fragment per axis, and the imports of file and macros."""

    fragments: Mapping[str, Source]
    imports: tuple[Import, ...]


class SlotFiller:
    """Fills frame after frame; collects what is wrong, and which macros were asked for."""

    def __init__(self, catalogue: Catalogue, parts: Iterable[Part]) -> None:
        self._catalogue = catalogue
        self._parts = {part.axis: part for part in parts}
        self._used: set[tuple[str, str, str]] = set()
        self._problems: list[str] = []

    def fill(self, path: str, source: Source) -> Filled:
        """The fragments for the file at an output path; an axis may be absent from the design."""
        template = read_python(source)
        if len(template.slots) > MAX_SLOTS:
            self._problems.append(
                f"{source.path}: {len(template.slots)} slots, at most {MAX_SLOTS}"
            )
        imports = list(template.header.imports)
        fragments: dict[str, Source] = {}
        asked = [(slot, source, 0) for slot in self._expanded(template.slots, path)]
        for slot, asking, level in asked:  # which grows by the slots of the macros
            place = f"{asking.path}:{slot.line}: slot {slot.axis}.{slot.name}()"
            fragment = self._fragment(slot, path, place)
            macro = None if fragment is None else self._macro(slot, fragment, place)
            if fragment is None or macro is None:
                continue
            fragments[slot.axis] = fragment
            # The imports of the scenery around the macro stay behind.
            header = read_fragment(fragment).header
            imports += [item for item in header.imports if item.binds in macro.words]
            if macro.slots and level == MAX_LEVELS:
                self._problems.append(
                    f"{fragment.path}:{macro.slots[0].line}: a slot of a macro within "
                    f"{MAX_LEVELS} others: nobody would find what fills it"
                )
                continue
            inner_slots = self._expanded(macro.slots, path)
            asked += [(inner, fragment, level + 1) for inner in inner_slots]
        self._check_bindings(source, imports)
        in_order = {axis: fragments[axis] for axis in self._parts if axis in fragments}
        return Filled(in_order, tuple(imports))

    def finish(self) -> list[str]:
        """Every problem found, also the macros that no frame of the catalogue asks for."""
        for part in self._parts.values():
            for name, path in part.fragments.items():
                for macro in read_fragment(self._catalogue.sources[path]).macros.values():
                    # What this design asked for settles most; only the rest needs a wider look.
                    asked = (part.axis, name, macro.name) in self._used
                    if not asked and not self._asked_elsewhere(part.axis, name, macro.name):
                        self._problems.append(
                            f"{path}:{macro.line}: macro {macro.name!r}: no frame has a slot "
                            f"{part.axis}.{macro.name}() for it"
                        )
        return self._problems

    def _asked_elsewhere(self, axis: str, fragment: str, macro: str) -> bool:
        """Whether a frame, or a macro for it, that other choices bring has the slot."""
        parts = [part for each in self._catalogue.axes.values() for part in each.parts.values()]
        slots = [
            slot
            for paths in (self._catalogue.frames, *(part.files for part in parts))
            for path, template in paths.items()
            if f"/{path}".endswith(f"/{fragment}")
            for slot in read_python(self._catalogue.sources[template]).slots
        ]
        slots += [
            slot
            for part in parts
            if fragment in part.fragments
            for each in read_fragment(
                self._catalogue.sources[part.fragments[fragment]]
            ).macros.values()
            for slot in each.slots
        ]
        return any(slot.axis in (axis, EACH) and slot.name == macro for slot in slots)

    def _expanded(self, slots: Iterable[Slot], path: str) -> Iterator[Slot]:
        """The slots, one that each part may fill as one for every part that does."""
        for slot in slots:
            if slot.axis != EACH:
                yield slot
                continue
            for axis, part in self._parts.items():
                name = _fragment_name(part, path)
                if name is not None:
                    source = self._catalogue.sources[part.fragments[name]]
                    if slot.name in read_fragment(source).macros:
                        yield replace(slot, axis=axis)

    def _fragment(self, slot: Slot, path: str, place: str) -> Source | None:
        if slot.axis not in self._catalogue.axes:
            self._problems.append(f"{place}: there is no axis {slot.axis!r}")
        part = self._parts.get(slot.axis)
        if part is None:
            return None
        name = _fragment_name(part, path)
        if name is None:
            file = path.rpartition("/")[2]
            self._problems.append(f"{place}: part {part.id} has no fragments/{file}")
            return None
        self._used.add((part.axis, name, slot.name))
        return self._catalogue.sources[part.fragments[name]]

    def _macro(self, slot: Slot, source: Source, place: str) -> Macro | None:
        """The macro for a slot in a fragment."""
        macro = read_fragment(source).macros.get(slot.name)
        if macro is None:
            part = self._parts[slot.axis]
            self._problems.append(f"{place}: part {part.id} defines no such macro in {source.path}")
            return None
        if macro.indent is not None and macro.indent != slot.indent:
            self._problems.append(
                f"{place}: is indented by {len(slot.indent)}, the text of its macro at "
                f"{source.path}:{macro.line} by {len(macro.indent)}"
            )
        return macro

    def _check_bindings(self, source: Source, imports: Iterable[Import]) -> None:
        bound: dict[str, Import] = {}
        for item in imports:
            other = bound.setdefault(item.binds, item)
            plain_modules = item.name is other.name is item.alias is other.alias is None
            if other != item and not plain_modules:
                self._problems.append(f"{source.path}: {other} and {item} bind the same name")


def _fragment_name(part: Part, path: str) -> str | None:
    """The fragment for a frame: the longest end of the frame's path for which the part has one."""
    pieces = path.split("/")
    names = ("/".join(pieces[start:]) for start in range(len(pieces)))
    return next((name for name in names if name in part.fragments), None)
