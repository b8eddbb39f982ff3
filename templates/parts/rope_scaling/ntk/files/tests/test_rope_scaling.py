"""The angles are those of a larger base."""

import torch
from package.model.rope_scaling import FACTOR, scaled
from torch.testing import assert_close


def test_frequencies_are_those_of_a_larger_base() -> None:
    exponents = torch.arange(0, 16, 2, dtype=torch.float64) / 16
    base = 100.0 * FACTOR ** (16 / 14)
    assert_close(scaled(100.0**-exponents), base**-exponents, atol=0, rtol=1e-12)


def test_the_fastest_pair_stays_and_the_slowest_is_divided_by_the_factor() -> None:
    frequencies = torch.tensor([1.0, 0.5, 0.25], dtype=torch.float64)
    first, _, last = scaled(frequencies).tolist()
    assert (first, last) == (1.0, 0.25 / FACTOR)
