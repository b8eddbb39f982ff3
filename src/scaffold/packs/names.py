"""Names of values: expressions see those of all axes as one, so that none may be on two."""

from collections.abc import Iterator, Sequence

from scaffold.catalogue import Catalogue
from scaffold.packs.declaration import Declaration

PART_PIECES = 3  # AXIS/VARIANT/part.yaml, below parts/


def own_parts(files: Sequence[str], declaration: Declaration) -> set[tuple[str, str]]:
    """The (axis, variant) pairs that a pack adds, replaces or extends."""
    ids = set(declaration.additions)
    for path in files:
        area, *pieces = path.split("/")
        if area == "parts" and len(pieces) >= PART_PIECES:
            ids.add("/".join(pieces[:2]))
    return {(axis, variant) for axis, _, variant in (name.partition("/") for name in ids)}


def taken_names(catalogue: Catalogue, own: set[tuple[str, str]]) -> Iterator[str]:
    """Options and derived values of packs that have the name of one on another axis."""
    names: dict[str, dict[str, list[str]]] = {}  # by name and axis, the variants that have it
    for axis in catalogue.axes.values():
        for part in axis.parts.values():
            for name in (*part.options, *part.derived):
                names.setdefault(name, {}).setdefault(axis.name, []).append(part.variant)
    for name, axes in names.items():
        for axis_name, variants in axes.items():
            # What another variant of the axis has too was there before.
            is_new = all((axis_name, variant) in own for variant in variants)
            others = [other for other in axes if other != axis_name]
            if is_new and others:
                part_id = f"parts/{axis_name}/{variants[0]}"
                yield f"{part_id}: {name} is a value of {' and '.join(others)}; take another name"
