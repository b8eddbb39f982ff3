"""All angles are divided by the factor."""

import torch
from package.model.rope_scaling import FACTOR, scaled
from torch.testing import assert_close


def test_a_token_turns_as_one_that_is_closer_by_the_factor() -> None:
    frequencies = 100.0 ** -(torch.arange(8, dtype=torch.float64) / 8)
    assert_close(scaled(frequencies) * 7 * FACTOR, frequencies * 7)
