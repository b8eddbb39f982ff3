"""Every parameter is updated, and only weight matrices decay."""

import torch
from package.config import Config
from package.model import ModelConfig, build_model
from package.optim import build_optimizer, describe_groups
from package.state import TrainState
from torch import nn


def test_every_parameter_is_in_exactly_one_group(state: TrainState) -> None:
    grouped = [p for group in state.optimizer.param_groups for p in group["params"]]
    assert len(grouped) == len(set(grouped))
    assert set(grouped) == set(state.model.parameters())


def test_only_the_weights_of_linear_layers_decay(state: TrainState) -> None:
    modules = list(state.model.modules())
    embeddings = {m.weight for m in modules if isinstance(m, nn.Embedding)}
    linear = {m.weight for m in modules if isinstance(m, nn.Linear)}
    decayed = {
        p
        for group in state.optimizer.param_groups
        if group["weight_decay"]
        for p in group["params"]
    }
    assert decayed == linear - embeddings
    assert len(describe_groups(state.optimizer)) == len(state.optimizer.param_groups)


def test_three_steps_follow_the_formula(config: Config, model_config: ModelConfig) -> None:
    values = config.optimizer
    model = build_model(model_config, torch.device("cpu"), seed=0)
    optimizer = build_optimizer(model, values)
    decays = {p: group["weight_decay"] for group in optimizer.param_groups for p in group["params"]}
    expected = {p: p.detach().double() for p in model.parameters()}
    momenta = {p: torch.zeros_like(weight) for p, weight in expected.items()}
    generator = torch.Generator().manual_seed(0)
    for _ in range(3):
        for p, weight in expected.items():
            p.grad = torch.randn(p.shape, generator=generator)
            gradient = p.grad.double() + decays[p] * weight
            momenta[p] = values.momentum * momenta[p] + gradient
            # Nesterov: a step from where the momentum will have led to.
            weight.sub_(values.learning_rate * (gradient + values.momentum * momenta[p]))
        optimizer.step()
    for p, weight in expected.items():
        torch.testing.assert_close(p.double(), weight, atol=1e-6, rtol=1e-6)


def test_a_first_step_that_overflows_leaves_no_momentum(
    config: Config, model_config: ModelConfig
) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    optimizer = build_optimizer(model, config.optimizer)
    scaler = torch.amp.GradScaler("cpu")
    expected = [p.detach().clone() for p in model.parameters()]
    for gradient in (torch.inf, 0.0):
        for p in model.parameters():
            p.grad = torch.full_like(p, gradient)
        scaler.scale(torch.zeros(()))  # which makes the scale
        for group in optimizer.param_groups:
            group["weight_decay"] = 0.0
        scaler.step(optimizer)
        scaler.update()
    for p, before in zip(model.parameters(), expected, strict=True):
        assert torch.equal(p, before)
