"""The balance term: its definition, and that it moves the weights and no reported loss."""

import torch
from package.balance import take_balance_loss
from package.config import Config
from package.data import IGNORE_INDEX, Batch, TrainSet
from package.expert_load import routers_of
from package.model import ModelConfig, build_model
from package.objective import summed_loss
from package.state import TrainState
from torch import Tensor, nn


def defined(scores: Tensor, experts: Tensor) -> Tensor:
    """Number of experts x the sum of share of tokens x mean share of scores, token by token."""
    n_tokens, n_experts = scores.shape
    total = torch.zeros((), dtype=torch.float64)
    for expert in range(n_experts):
        share = (experts == expert).sum() / experts.numel()
        mean = sum(row[expert] / row.sum() for row in scores.double()) / n_tokens
        total = total + share * mean
    return n_experts * total


def scores_of(router: nn.Module, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """The scores behind a routing, by way of a router that chooses all experts."""
    routing = router(tokens)
    chosen = routing.experts
    router.top_k, top_k = routing.counts.numel(), router.top_k
    everything = router(tokens)
    router.top_k = top_k
    scores = torch.zeros_like(everything.weights).scatter(1, everything.experts, everything.weights)
    return scores, chosen


@torch.no_grad()
def test_the_term_is_that_of_the_definition(model_config: ModelConfig) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    router = routers_of(model)[0]
    router.gate.weight.mul_(20)
    tokens = torch.randn(30, model_config.dim, generator=torch.Generator().manual_seed(0))
    scores, experts = scores_of(router, tokens)
    router(tokens)
    expected = model_config.balance_weight * defined(scores, experts)
    torch.testing.assert_close(take_balance_loss(model).double(), expected)
    assert take_balance_loss(model) == 0  # it is taken once


def test_the_gradient_is_that_of_both_and_the_value_that_of_the_loss(
    config: Config, model_config: ModelConfig
) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    batch = TrainSet(config.data, model_config, seed=0).samples(0, 2)
    batch = Batch(batch.inputs, batch.targets.clone())
    batch.targets[0, :10] = IGNORE_INDEX
    gate = routers_of(model)[0].gate.weight
    plain, joined = (torch.empty(0), torch.empty(0))
    values = []
    for mode in (False, True):
        model.train(mode)
        model.zero_grad()
        loss = summed_loss(model, batch)
        loss.backward()
        values.append(loss.item())
        assert gate.grad is not None
        plain, joined = joined, gate.grad.clone()
    assert values[0] == torch.tensor(values[1]).item()
    model.zero_grad()
    model(batch.inputs)
    n_targets = (batch.targets != IGNORE_INDEX).sum()
    (take_balance_loss(model) * n_targets).backward()
    assert gate.grad is not None
    assert gate.grad.any()
    torch.testing.assert_close(joined, plain + gate.grad, atol=1e-5, rtol=1e-4)


def test_evaluation_leaves_nothing(state: TrainState, config: Config) -> None:
    state.model.eval()
    batch = TrainSet(config.data, state.model.config, seed=0).samples(0, 2)
    summed_loss(state.model, batch)
    assert take_balance_loss(state.model) == 0
