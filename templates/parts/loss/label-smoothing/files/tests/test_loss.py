"""Smoothed labels against the definition in float64; validation does without them."""

import pytest
import torch
from package.config import Config
from package.data import TrainSet
from package.loss import LABEL_SMOOTHING, smoothed_cross_entropy
from package.objective import evaluate_batch, summed_loss
from package.state import TrainState


def test_loss_and_gradient_are_those_of_the_definition() -> None:
    logits = torch.randn(2, 5, 7, generator=torch.Generator().manual_seed(0), requires_grad=True)
    targets = torch.tensor([[0, 3, 6, -100, 2], [1, -100, 4, 5, 0]])
    labels = torch.full((2, 5, 7), LABEL_SMOOTHING / 7, dtype=torch.float64)
    labels += (1 - LABEL_SMOOTHING) * torch.nn.functional.one_hot(targets.clamp(min=0), 7)
    labels[targets == -100] = 0.0
    expected = -(labels * torch.log_softmax(logits.double(), dim=-1)).sum()
    loss = smoothed_cross_entropy(logits, targets)
    assert loss.dtype == torch.float32
    assert loss.item() == pytest.approx(expected.item(), rel=1e-6)
    found = torch.autograd.grad(loss, logits)
    torch.testing.assert_close(found, torch.autograd.grad(expected, logits))


def test_only_training_smooths(state: TrainState, config: Config) -> None:
    batch = TrainSet(config.data, state.model.config, seed=0).samples(0, 2)
    torch.manual_seed(0)
    for weight in state.model.parameters():  # of a new one, all classes may be equally likely
        torch.nn.init.normal_(weight)
    logits: list[torch.Tensor] = []
    state.model.register_forward_hook(lambda _model, _inputs, output: logits.append(output))
    loss = summed_loss(state.model, batch).item()
    smoothed = smoothed_cross_entropy(logits[0], batch.targets).item()
    assert loss == pytest.approx(smoothed, rel=1e-6)
    assert evaluate_batch(state.model, batch)["loss"].item() != pytest.approx(smoothed, rel=1e-6)
