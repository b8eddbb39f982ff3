"""Fast pairs stay, slow ones are slowed down, and nothing is reordered."""

import math

import pytest
import torch
from package.model.rope_scaling import (
    BETA_FAST,
    BETA_SLOW,
    FACTOR,
    MSCALE_ALL_DIM,
    ORIGINAL_MAX_SEQ_LEN,
    SCORE_FACTOR,
    scaled,
)

THETA, N_PAIRS = 10000.0, 64


def test_pairs_are_scaled_by_how_often_they_turn() -> None:
    frequencies = THETA ** -(torch.arange(N_PAIRS, dtype=torch.float64) / N_PAIRS)
    scales = scaled(frequencies, THETA) / frequencies
    turns = ORIGINAL_MAX_SEQ_LEN * frequencies / (2 * math.pi)
    one_pair = THETA ** (1 / N_PAIRS)  # to which the bounds are rounded
    fast, slow = scales[turns > BETA_FAST * one_pair], scales[turns < BETA_SLOW / one_pair]
    torch.testing.assert_close(fast, torch.ones_like(fast))
    torch.testing.assert_close(slow, torch.full_like(slow, 1 / FACTOR))
    assert (scales.diff() <= 0).all()


def test_scores_are_sharpened_as_the_paper_says() -> None:
    assert math.sqrt(SCORE_FACTOR) == pytest.approx(1 + MSCALE_ALL_DIM * math.log(FACTOR) / 10)
