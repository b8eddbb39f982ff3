"""A step far out of line is left out; nothing else is."""

import math
import random

import pytest
import torch
from package import spikes
from package.config import Config
from package.data import TrainSet
from package.spikes import SIGMAS, WINDOW, is_spike
from package.state import TrainState
from package.step import train_step


@pytest.fixture
def usual() -> list[list[float]]:
    """The losses and gradient norms of a window of usual steps."""
    draw = random.Random(0)
    return [[draw.gauss(3.0, 0.1), draw.gauss(1.0, 0.05)] for _ in range(WINDOW)]


def test_what_is_far_above_is_a_spike(usual: list[list[float]]) -> None:
    before = list(usual)
    assert is_spike(usual, 3.0 + 2 * SIGMAS * 0.1, 1.0)
    assert is_spike(usual, 3.0, 1.0 + 2 * SIGMAS * 0.05)
    assert usual == before  # a spike is nothing to compare with
    assert not is_spike(usual, 3.2, 0.95)
    assert not is_spike(usual, 0.1, 0.01)  # below is no harm
    assert usual == [*before, [3.2, 0.95], [0.1, 0.01]][-WINDOW:]


def test_the_first_steps_and_what_is_not_finite_are_none(usual: list[list[float]]) -> None:
    few = usual[1:]
    assert not is_spike(few, 1e9, 1e9)
    assert not is_spike(usual, 3.0, math.inf)  # whether it is taken is decided elsewhere
    assert len(few) == len(usual) == WINDOW


def test_a_spike_changes_nothing(
    state: TrainState, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spikes, "WINDOW", 2)
    state.progress.recent = [[1e-9, 1e-9], [1e-9, 1e-9]]
    before = [weight.detach().clone() for weight in state.model.parameters()]
    batch = TrainSet(config.data, state.model.config, seed=0).samples(0, 2)
    assert not train_step(state, [batch], 1.0).finite
    pairs = zip(before, state.model.parameters(), strict=True)
    assert all(torch.equal(old, new) for old, new in pairs)
    state.progress.recent = []
    assert train_step(state, [batch], 1.0).finite
    assert len(state.progress.recent) == 1
