"""float16 with a scaled loss trains as float32 does, and an overflow is no accident."""

import copy

import pytest
import torch
from package.config import Config
from package.data import Batch, TrainSet
from package.model import build_model
from package.objective import count_targets, summed_loss
from package.state import TrainState
from package.step import train_step


@pytest.fixture
def batch(config: Config, state: TrainState) -> Batch:
    return TrainSet(config.data, state.model.config, seed=0).samples(0, 4)


def test_the_loss_agrees_with_float32(state: TrainState, config: Config) -> None:
    train_set = TrainSet(config.data, state.model.config, seed=0)
    for step in range(20):
        batch = train_set.samples(4 * step, 4)
        exact = (summed_loss(state.model, batch) / count_targets(batch)).item()
        # float16 keeps 11 bits of the mantissa: a relative error up to 2**-11 in each product.
        assert train_step(state, [batch], 1.0).loss == pytest.approx(exact, rel=2**-9)


def test_the_limit_applies_to_the_unscaled_gradient(
    state: TrainState, config: Config, batch: Batch
) -> None:
    """Clipping the scaled gradient would shrink every step to next to nothing."""
    reference = build_model(state.model.config, torch.device("cpu"), config.train.seed)
    (summed_loss(reference, batch) / count_targets(batch)).backward()
    norm = torch.nn.utils.get_total_norm(
        [p.grad for p in reference.parameters() if p.grad is not None]
    )
    assert state.scaler.get_scale() == 2.0**5
    result = train_step(state, [batch], norm.item() / 4)
    assert result.grad_norm == pytest.approx(norm.item(), rel=1e-2)


def test_an_overflow_lowers_the_scale_and_changes_no_weight(
    state: TrainState, batch: Batch
) -> None:
    state.scaler.load_state_dict(state.scaler.state_dict() | {"scale": 2.0**40})
    before = copy.deepcopy(dict(state.model.named_parameters()))
    result = train_step(state, [batch], 1.0)
    assert result.finite  # the loss is: only the scale was too high
    assert state.scaler.get_scale() == 2.0**39
    torch.testing.assert_close(dict(state.model.named_parameters()), before, rtol=0, atol=0)


def test_gradients_that_stay_infinite_are_a_bad_step(state: TrainState, batch: Batch) -> None:
    state.scaler.load_state_dict(state.scaler.state_dict() | {"scale": 0.5})
    assert not train_step(state, [batch], 1.0).finite


def test_a_good_step_can_follow_a_bad_one(state: TrainState, batch: Batch) -> None:
    good = state.scaler.state_dict()
    state.scaler.load_state_dict(good | {"scale": 0.5})
    assert not train_step(state, [batch], 1.0).finite
    assert state.scaler.get_scale() == 0.5
    state.scaler.load_state_dict(good)
    assert train_step(state, [batch], 1.0).finite


def test_the_scale_survives_a_restart(state: TrainState, batch: Batch) -> None:
    train_step(state, [batch], 1.0)
    saved = copy.deepcopy(state.state_dict())
    state.scaler.load_state_dict(state.scaler.state_dict() | {"scale": 8.0, "_growth_tracker": 5})
    state.load_state_dict(saved)
    assert state.scaler.state_dict() == saved["scaler"]
    assert saved["scaler"]["_growth_tracker"] == 1
