"""Names of values: expressions see those of all axes as one, so that none may be on two."""

from collections.abc import Iterator

from scaffold.catalogue import Catalogue


def taken_names(before: Catalogue, after: Catalogue) -> Iterator[str]:
    """Options and derived values that packs bring to an axis, and that another axis has."""
    old, new = _axes_by_name(before), _axes_by_name(after)
    for name, axes in new.items():
        for axis in axes - old.get(name, set()) if len(axes) > 1 else ():
            others = " and ".join(sorted(axes - {axis}))
            yield f"parts/{axis}: {name} is a value of {others} already; take another name"


def _axes_by_name(catalogue: Catalogue) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for axis in catalogue.axes.values():
        for part in axis.parts.values():
            for name in (*part.options, *part.derived):
                names.setdefault(name, set()).add(axis.name)
    return names
