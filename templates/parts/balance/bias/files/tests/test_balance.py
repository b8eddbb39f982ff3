"""The biases of the experts: what moves them, what they move, and that they are kept."""

import copy

import torch
from package.balance import shift_biases
from package.config import Config
from package.data import TrainSet
from package.expert_load import routers_of
from package.model import ModelConfig, build_model
from package.model.router import Router
from package.state import TrainState
from package.step import train_step
from torch import nn


def test_biases_rise_where_the_load_is_low(model_config: ModelConfig) -> None:
    rate = model_config.bias_update_rate
    routers = nn.ModuleList([Router(model_config), Router(model_config)])
    shift_biases(routers, torch.tensor([[10, 10, 10, 10], [1, 20, 9, 10]]))
    first, second = (router.bias.tolist() for router in routers_of(routers))
    assert first == [0.0] * 4
    torch.testing.assert_close(second, [rate, -rate, rate, 0.0])


@torch.no_grad()
def test_a_bias_moves_the_choice_and_not_the_weights(model_config: ModelConfig) -> None:
    router = routers_of(build_model(model_config, torch.device("cpu"), seed=0))[0]
    tokens = torch.randn(40, model_config.dim, generator=torch.Generator().manual_seed(0))
    before = router(tokens)
    router.bias[2] = 10.0
    after = router(tokens)
    assert (after.experts == 2).any(dim=1).all()
    same = (before.experts == 2).any(dim=1)
    assert 0 < same.sum() < 40
    sums = [routing.weights.sum(dim=1)[same] for routing in (before, after)]
    torch.testing.assert_close(sums[0], sums[1])


def test_a_step_moves_the_biases_and_a_restart_keeps_them(
    state: TrainState, config: Config
) -> None:
    samples = TrainSet(config.data, state.model.config, seed=0)
    train_step(state, [samples.samples(0, 2)], 1.0)
    biases = [router.bias.clone() for router in routers_of(state.model)]
    assert all(bias.any() for bias in biases)
    saved = copy.deepcopy(state.state_dict())
    train_step(state, [samples.samples(2, 2)], 1.0)
    state.load_state_dict(saved)
    for router, bias in zip(routers_of(state.model), biases, strict=True):
        assert torch.equal(router.bias, bias)


def test_training_evens_out_the_load(model_config: ModelConfig) -> None:
    """Without a gradient, by the biases alone: tokens that all prefer the same experts."""
    router = routers_of(build_model(model_config, torch.device("cpu"), seed=0))[0]
    tokens = 1 + torch.randn(256, model_config.dim, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        router.gate.weight.copy_(0.1 * torch.eye(4, model_config.dim))
        router.gate.weight[0] += 0.1
        uneven = router(tokens).counts.max() / router(tokens).counts.double().mean()
        for _ in range(2000):
            counts = router(tokens).counts
            shift_biases(router, counts[None])
        even = router(tokens).counts.max() / counts.double().mean()
    assert uneven > 1.5
    assert even < 1.2
