"""Open axes are settled by their first variants that go together, and not by trying everything."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from scaffold.catalogue import Catalogue, read_catalogue
from scaffold.completion import complete
from scaffold.variants import clash

REAL = read_catalogue()
BLANK = next(iter(REAL.axes.values()))
Limits = Mapping[str, tuple[str, ...]]
Declared = Mapping[str, Limits]  # for each variant
Axes = Mapping[str, tuple[Limits, Declared, Declared]]  # when; requires; conflicts


def catalogue_of(axes: Axes) -> Catalogue:
    """The axes in order, with what they and their variants declare."""
    made = {}
    for order, (name, (when, requires, conflicts)) in enumerate(axes.items()):
        blank = next(iter(BLANK.parts.values()))
        parts = {
            variant: replace(
                blank,
                axis=name,
                variant=variant,
                requires=requires[variant],
                conflicts=conflicts[variant],
            )
            for variant in requires
        }
        made[name] = replace(BLANK, name=name, order=order, when=when, parts=parts)
    return replace(REAL, axes=made)


def by_trying_all(catalogue: Catalogue, settled: Mapping[str, str]) -> dict[str, str] | None:
    """The first combination, axis by axis in order, in which nothing clashes."""
    axes = catalogue.axes
    for values in product(*[(*axis.parts, None) for axis in axes.values()]):
        chosen = {name: v for name, v in zip(axes, values, strict=True) if v is not None}
        exist = {
            name: all(chosen.get(other) in allowed for other, allowed in axis.when.items())
            for name, axis in axes.items()
        }
        if (
            settled.items() <= chosen.items()
            and all((name in chosen) == exist[name] for name in axes)
            and not any(clash(catalogue, one, two) for one, two in combinations(chosen.items(), 2))
            and all(
                other in chosen for n, v in chosen.items() for other in axes[n].parts[v].requires
            )
        ):
            return chosen
    return None


@st.composite
def declared_axes(draw: st.DrawFn) -> Axes:
    names = [f"axis{number}" for number in range(draw(st.integers(2, 5)))]
    variants = {name: ("a", "b", "c")[: draw(st.integers(1, 3))] for name in names}

    def limits(others: list[str], most: int) -> Limits:
        chosen = draw(st.lists(st.sampled_from(others), max_size=most)) if others else []
        return {
            other: tuple(draw(st.sets(st.sampled_from(variants[other]), min_size=1)))
            for other in chosen
        }

    return {
        name: (
            limits(names[:number], 1),
            {v: limits([n for n in names if n != name], 1) for v in variants[name]},
            {v: limits([n for n in names if n != name], 1) for v in variants[name]},
        )
        for number, name in enumerate(names)
    }


@settings(deadline=None)
@given(declared_axes(), st.data())
def test_it_is_the_first_combination_that_goes_together(axes: Axes, data: st.DataObject) -> None:
    catalogue = catalogue_of(axes)
    every = [(name, variant) for name in axes for variant in axes[name][1]]
    settled = dict(data.draw(st.lists(st.sampled_from(every), max_size=2)))
    assert complete(catalogue, settled) == by_trying_all(catalogue, settled)


def test_what_cannot_be_is_seen_at_once() -> None:
    """Of 2^60 combinations none will do, since the last axis needs what the first does not give."""
    free: tuple[Limits, Declared, Declared] = ({}, {"a": {}, "b": {}}, {"a": {}, "b": {}})
    between = {f"axis{number}": free for number in range(60)}
    last: tuple[Limits, Declared, Declared] = (
        {},
        {"a": {"middle": ("b",)}, "b": {"middle": ("b",)}},
        {"a": {}, "b": {}},
    )
    middle: tuple[Limits, Declared, Declared] = (
        {},
        {"a": {}, "b": {"first": ("b",)}},
        {"a": {}, "b": {}},
    )
    catalogue = catalogue_of({"first": free, "middle": middle, **between, "last": last})
    assert complete(catalogue, {"first": "a"}) is None
    found = complete(catalogue, {})
    assert found is not None
    assert (found["first"], found["middle"], found["last"]) == ("b", "b", "a")
