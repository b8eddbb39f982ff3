"""Short waves stay, long ones are slowed down, those between are blended."""

import math

import pytest
import torch
from package.model.rope_scaling import (
    FACTOR,
    HIGH_FREQ_FACTOR,
    LOW_FREQ_FACTOR,
    ORIGINAL_MAX_SEQ_LEN,
    scaled,
)


def scale_of(turns: float) -> float:
    """What a pair is slowed down to that turns so often within the original context."""
    frequency = torch.tensor([2 * math.pi * turns / ORIGINAL_MAX_SEQ_LEN], dtype=torch.float64)
    return (scaled(frequency) / frequency).item()


def test_pairs_are_scaled_by_how_often_they_turn() -> None:
    assert scale_of(2 * HIGH_FREQ_FACTOR) == pytest.approx(1)
    assert scale_of(HIGH_FREQ_FACTOR) == pytest.approx(1)
    half = (LOW_FREQ_FACTOR + HIGH_FREQ_FACTOR) / 2
    assert scale_of(half) == pytest.approx((1 + 1 / FACTOR) / 2)
    assert scale_of(LOW_FREQ_FACTOR) == pytest.approx(1 / FACTOR)
    assert scale_of(LOW_FREQ_FACTOR / 2) == pytest.approx(1 / FACTOR)
