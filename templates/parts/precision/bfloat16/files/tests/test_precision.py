"""bfloat16 changes the loss by no more than its rounding."""

import pytest
from package.config import Config
from package.data import TrainSet
from package.objective import count_targets, summed_loss
from package.state import TrainState
from package.step import train_step


def test_the_loss_agrees_with_float32(state: TrainState, config: Config) -> None:
    train_set = TrainSet(config.data, state.model.config, seed=0)
    for step in range(20):
        batch = train_set.samples(4 * step, 4)
        exact = (summed_loss(state.model, batch) / count_targets(batch)).item()
        # bfloat16 keeps 8 bits of the mantissa: a relative error up to 2**-8 in each product.
        assert train_step(state, [batch], 1.0).loss == pytest.approx(exact, rel=2**-7)
