"""The set of designs in which every possible pair of variants occurs."""

from scaffold.catalogue import Catalogue
from scaffold.covering import (
    ONCE,
    Variants,
    covered_by,
    covering_designs,
    possible_pairs,
    single_variants,
)

__all__ = [
    "ONCE",
    "Variants",
    "covered_by",
    "covering_designs",
    "pairwise_designs",
    "possible_pairs",
    "single_variants",
]


def pairwise_designs(catalogue: Catalogue) -> list[dict[str, str]]:
    """Designs with every possible pair of variants."""
    return covering_designs(catalogue, possible_pairs(catalogue, catalogue.axes))
