"""The penalty against its formula in float64; validation does without it."""

import pytest
import torch
from package.config import Config
from package.data import IGNORE_INDEX, TrainSet
from package.loss import Z_LOSS_WEIGHT, cross_entropy_and_z_loss
from package.objective import evaluate_batch, summed_loss
from package.state import TrainState


def test_loss_and_gradient_are_those_of_the_formula() -> None:
    drawn = torch.randn(2, 5, 7, generator=torch.Generator().manual_seed(0))
    logits = (100 * drawn).requires_grad_()  # the penalty weighs as much as the loss
    targets = torch.tensor([[0, 3, 6, IGNORE_INDEX, 2], [1, IGNORE_INDEX, 4, 5, 0]])
    expected = torch.zeros((), dtype=torch.float64)
    for row, position in (targets != IGNORE_INDEX).nonzero().tolist():
        scores = logits[row, position].double()
        log_z = scores.exp().sum().log()
        expected = expected + log_z - scores[targets[row, position]] + Z_LOSS_WEIGHT * log_z**2
    loss = cross_entropy_and_z_loss(logits, targets)
    assert loss.dtype == torch.float32
    assert loss.item() == pytest.approx(expected.item(), rel=1e-6)
    found = torch.autograd.grad(loss, logits)
    torch.testing.assert_close(found, torch.autograd.grad(expected, logits))


def test_only_training_has_the_penalty(state: TrainState, config: Config) -> None:
    batch = TrainSet(config.data, state.model.config, seed=0).samples(0, 2)
    minimized = cross_entropy_and_z_loss(state.model(batch.inputs), batch.targets).item()
    assert summed_loss(state.model, batch).item() == pytest.approx(minimized, rel=1e-6)
    assert evaluate_batch(state.model, batch)["loss"].item() < minimized
