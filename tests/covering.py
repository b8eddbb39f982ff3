"""A small set of designs in which every pair of variants that can stand together does."""

from itertools import combinations

from scaffold.catalogue import Catalogue
from scaffold.variants import clash, complete

Pair = frozenset[tuple[str, str]]
# What these decide stands in one file, which reads the model and nothing else, and each variant is
# held against transformers beside what it can meet there: one design for each is enough.
ONCE = {"hub_model": "hub", "hub_names": "hub"}


def possible_pairs(catalogue: Catalogue) -> set[Pair]:
    """Every two variants of different axes that occur together in at least one design."""
    variants = [(axis, variant) for axis, it in catalogue.axes.items() for variant in it.parts]
    return {
        frozenset((one, two))
        for one, two in combinations(variants, 2)
        if one[0] != two[0]
        and ONCE.get(one[0], two[0]) == two[0]
        and ONCE.get(two[0], one[0]) == one[0]
        and clash(catalogue, one, two) is None
        and complete(catalogue, dict((one, two))) is not None
    }


def pairs_of(variants: dict[str, str]) -> set[Pair]:
    """The pairs that one design covers."""
    return {frozenset(pair) for pair in combinations(variants.items(), 2)}


def covering_designs(catalogue: Catalogue) -> list[dict[str, str]]:
    """Greedy: each design starts with an open pair and settles axis after axis on what covers most.

    The result depends on nothing but the catalogue.
    """
    open_pairs = possible_pairs(catalogue)
    designs = []
    while open_pairs:
        settled = dict(sorted(min(open_pairs, key=sorted)))
        for axis in catalogue.axes.values():
            candidates: list[tuple[int, int, str]] = []
            for variant in axis.parts if axis.name not in settled else ():
                full = complete(catalogue, {**settled, axis.name: variant})
                if full is not None:
                    new = {*settled.items(), (axis.name, variant)}
                    gain = len(pairs_of(dict(new)) & open_pairs)
                    candidates.append((-gain, len(candidates), variant))
            if candidates:
                settled[axis.name] = min(candidates)[2]
        design = complete(catalogue, settled)
        assert design is not None
        open_pairs -= pairs_of(design)
        designs.append(design)
    return designs
