"""Small sets of designs in which all variants occur together that can stand together."""

from collections.abc import Collection
from itertools import combinations

from scaffold.catalogue import Catalogue
from scaffold.completion import complete
from scaffold.variants import clash

Variants = frozenset[tuple[str, str]]
# What these decide stands in one file, which reads the model and nothing else, and each variant is
# held against transformers beside what it can meet there: one design for each is enough.
ONCE = {"hub_model": "hub", "hub_names": "hub"}


def single_variants(catalogue: Catalogue, axes: Collection[str]) -> set[Variants]:
    """Every variant of these axes by itself."""
    return {frozenset({(axis, variant)}) for axis in axes for variant in catalogue.axes[axis].parts}


def possible_pairs(catalogue: Catalogue, axes: Collection[str]) -> set[Variants]:
    """Every two variants of different ones of these axes that occur together in some design."""
    variants = [(axis, variant) for axis in axes for variant in catalogue.axes[axis].parts]
    return {
        frozenset((one, two))
        for one, two in combinations(variants, 2)
        if one[0] != two[0]
        and ONCE.get(one[0], two[0]) == two[0]
        and ONCE.get(two[0], one[0]) == one[0]
        and clash(catalogue, one, two) is None
        and complete(catalogue, dict((one, two))) is not None
    }


def with_own(catalogue: Catalogue, own: Collection[tuple[str, str]]) -> set[Variants]:
    """Those of some (axis, variant) that a design can have, and every possible pair with one."""
    possible = {
        frozenset({variant}) for variant in own if complete(catalogue, dict([variant])) is not None
    }
    pairs = possible_pairs(catalogue, catalogue.axes) if possible else set()
    return possible | {pair for pair in pairs if not pair.isdisjoint(own)}


def covered_by(design: dict[str, str]) -> set[Variants]:
    """The variants of one design, and their pairs."""
    return {frozenset(some) for size in (1, 2) for some in combinations(design.items(), size)}


def covering_designs(catalogue: Catalogue, wanted: set[Variants]) -> list[dict[str, str]]:
    """Designs that together have all of ``wanted``, which are variants and pairs of them.

    Greedy: each design starts with what is still open, and settles axis after axis on what covers
    most. The result depends on nothing but the catalogue and what is wanted.
    """
    left = set(wanted)
    designs = []
    while left:
        settled = dict(sorted(min(left, key=sorted)))
        for axis in catalogue.axes.values():
            candidates: list[tuple[int, int, str]] = []
            for variant in axis.parts if axis.name not in settled else ():
                full = complete(catalogue, {**settled, axis.name: variant})
                if full is not None:
                    gain = len(covered_by({**settled, axis.name: variant}) & left)
                    candidates.append((-gain, len(candidates), variant))
            if candidates:
                settled[axis.name] = min(candidates)[2]
        design = complete(catalogue, settled)
        assert design is not None
        left -= covered_by(design)
        designs.append(design)
    return designs
