"""How the axes left open are settled: by their first variants, in order, that go together.

What axes and parts declare of each other are constraints between two axes each. They are kept
consistent after every choice (arc consistency, https://doi.org/10.1016/0004-3702(77)90007-8), so
that a choice which leaves another axis nothing is seen at once, and not after all combinations of
the axes between them.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from scaffold.catalogue import Catalogue
from scaffold.parts import Axis
from scaffold.rulings import refusal
from scaffold.variants import Variants

Value = str | None  # a variant; None where the design does not have the axis
Domains = Mapping[str, tuple[Value, ...]]  # what each axis may still be, the preferred first


def complete(catalogue: Catalogue, settled: Variants) -> dict[str, str] | None:
    """One variant for every axis that exists, the settled ones kept; None if nothing fits.

    Open axes take their first variant, in the order of the parts, that goes with all the others: so
    a default that a settled choice excludes moves to the next one.
    """
    constraints, anything = _constraints(catalogue)
    if anything is None or any(variant not in anything[axis] for axis, variant in settled.items()):
        return None
    given: Domains = {axis: (variant,) for axis, variant in settled.items()}
    domains = constraints.narrowed({**anything, **given}, settled)
    found = None if domains is None else _search(constraints, domains)
    if found is None:
        return None
    return {axis: value for axis, (value, *_) in found.items() if value is not None}


@dataclass(frozen=True)
class _Constraints:
    """What goes together, for every two axes of which one declares something of the other.

    ``supports[one][other][value]`` are the values of the axis ``other`` that go with a value of the
    axis ``one``.
    """

    axes: Mapping[str, Axis]
    supports: Mapping[str, Mapping[str, Mapping[Value, frozenset[Value]]]]

    def narrowed(self, domains: Domains, changed: Collection[str]) -> Domains | None:
        """The domains without what no longer fits, now that some changed; None if one is empty."""
        narrow = dict(domains)
        queue = list(changed)
        while queue:
            axis = queue.pop()
            for other in self.supports[axis]:
                kept = tuple(self._kept(other, axis, narrow))
                if not kept:
                    return None
                if kept != narrow[other]:
                    narrow[other] = kept
                    queue.append(other)
        return narrow

    def _kept(self, axis: str, changed: str, domains: Domains) -> Iterator[Value]:
        supports = self.supports[axis][changed]
        for value in domains[axis]:
            if not supports[value].isdisjoint(domains[changed]):
                if value is not None or not _must_exist(self.axes[axis], domains):
                    yield value


def _search(constraints: _Constraints, domains: Domains) -> Domains | None:
    """The first values that go together, each axis in its turn; None if there are none."""
    open_axis = next((axis for axis, values in domains.items() if len(values) > 1), None)
    if open_axis is None:
        return domains
    for value in domains[open_axis]:
        tried = constraints.narrowed({**domains, open_axis: (value,)}, [open_axis])
        found = None if tried is None else _search(constraints, tried)
        if found is not None:
            return found
    return None


@lru_cache(maxsize=8)
def _constraints(catalogue: Catalogue) -> tuple[_Constraints, Domains | None]:
    """The constraints, and what each axis may be when nothing is settled; None if no design is."""
    axes = catalogue.axes
    domains = {name: _domain(axis, axes) for name, axis in axes.items()}
    declared = {(name, other) for name, axis in axes.items() for other in _named_by(axis)}
    declared = {(one, other) for one, other in declared if other in axes}
    supports: dict[str, dict[str, dict[Value, frozenset[Value]]]] = {name: {} for name in axes}
    for one, other in sorted(declared | {(other, one) for one, other in declared}):
        supports[one][other] = {
            value: frozenset(
                other_value
                for other_value in domains[other]
                if _allows(axes[one], value, other, other_value)
                and _allows(axes[other], other_value, one, value)
            )
            for value in domains[one]
        }
    always = {
        name: tuple(v for v in domains[name] if v is not None or not _must_exist(axis, domains))
        for name, axis in axes.items()
    }
    constraints = _Constraints(axes, supports)
    return constraints, constraints.narrowed(always, axes)


def _domain(axis: Axis, axes: Collection[str]) -> tuple[Value, ...]:
    """What the axis may be, whatever it is needed for; axes that are not there are never chosen."""
    if any(other not in axes for other in axis.when):
        return (None,)
    possible = [
        v
        for v, part in axis.parts.items()
        if refusal(axis.rulings, v) is None and all(other in axes for other in part.requires)
    ]
    return (*possible, None)


def _named_by(axis: Axis) -> Iterator[str]:
    """The axes of which one declares something."""
    yield from axis.when
    yield from axis.unless
    for part in axis.parts.values():
        yield from part.requires
        yield from part.conflicts


def _allows(axis: Axis, value: Value, other: str, other_value: Value) -> bool:
    """Whether what an axis declares of another lets both have these values."""
    if value is None:
        return True
    part = axis.parts[value]
    needed = [group[other] for group in (axis.when, part.requires) if other in group]
    excluded = [group.get(other, ()) for group in (axis.unless, part.conflicts)]
    return all(other_value in allowed for allowed in needed) and not any(
        other_value in refused for refused in excluded
    )


def _must_exist(axis: Axis, domains: Domains) -> bool:
    """Whether the axis exists whatever the others become."""
    return all(
        other in domains and set(domains[other]) <= set(allowed)
        for other, allowed in axis.when.items()
    ) and all(
        set(domains.get(other, ())).isdisjoint(refused) for other, refused in axis.unless.items()
    )
