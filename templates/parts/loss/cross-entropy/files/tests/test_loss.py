"""Training minimizes what validation measures."""

import pytest
from package.config import Config
from package.data import TrainSet
from package.objective import evaluate_batch, summed_loss
from package.state import TrainState


def test_training_minimizes_the_validation_loss(state: TrainState, config: Config) -> None:
    batch = TrainSet(config.data, state.model.config, seed=0).samples(0, 2)
    loss = summed_loss(state.model, batch).item()
    assert loss == pytest.approx(evaluate_batch(state.model, batch)["loss"].item(), rel=1e-6)
