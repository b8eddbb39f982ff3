"""The mixture against every expert on every token, and its two ways to multiply."""

import pytest
import torch
from package.model import ModelConfig, build_model
from package.model.feed_forward import FeedForward, grouped_products, looped_products
from torch import Tensor, nn
from torch.testing import assert_close


@pytest.fixture
def network(model_config: ModelConfig) -> FeedForward:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    found = model.layers[-1].get_submodule("feed_forward")
    assert isinstance(found, FeedForward)
    return found


def some_rows(n_rows: int, config: ModelConfig) -> Tensor:
    return torch.randn(n_rows, config.dim, generator=torch.Generator().manual_seed(0))


def gradients_of(module: nn.Module, loss: Tensor) -> list[Tensor]:
    module.zero_grad()
    loss.backward()
    return [weight.grad.clone() for weight in module.parameters() if weight.grad is not None]


def on_every_token(network: FeedForward, tokens: Tensor) -> Tensor:
    """Each token through all experts, and all but those chosen multiplied by 0."""
    routing = network.router(tokens)
    weights = torch.zeros(len(tokens), len(network.experts), dtype=tokens.dtype)
    weights = weights.scatter(1, routing.experts, routing.weights.to(tokens.dtype))
    outputs = torch.stack([expert(tokens) for expert in network.experts], dim=1)
    mixed = (weights[..., None] * outputs).sum(dim=1)
    return mixed + torch.stack([expert(tokens) for expert in network.shared]).sum(dim=0)


def test_output_and_gradients_are_those_of_the_definition(
    network: FeedForward, model_config: ModelConfig
) -> None:
    network.double()
    tokens = some_rows(30, model_config).double()
    outputs = [network(tokens.view(3, 10, -1)).view(30, -1), on_every_token(network, tokens)]
    assert_close(outputs[0], outputs[1], atol=1e-12, rtol=1e-9)
    gradients = [gradients_of(network, output.square().sum()) for output in outputs]
    assert_close(gradients[0], gradients[1], atol=1e-12, rtol=1e-5)


def test_an_expert_without_tokens_has_a_gradient_of_zero(
    network: FeedForward, model_config: ModelConfig
) -> None:
    gradients = gradients_of(network.experts, network(some_rows(1, model_config)).sum())
    idle = [gradient for gradient in gradients if not gradient.any()]
    assert len(gradients) == 3 * model_config.n_experts
    assert len(idle) == 3 * (model_config.n_experts - model_config.top_k)


@pytest.mark.parametrize("counts", [(8, 16, 0, 8), (3, 0, 17, 12), (0, 0, 32, 0)])
def test_grouped_products_equal_those_of_a_loop(
    network: FeedForward, model_config: ModelConfig, counts: tuple[int, ...]
) -> None:
    rows = some_rows(32, model_config)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        looped = looped_products(network.experts, rows, torch.tensor(counts))
        grouped = grouped_products(network.experts, rows, torch.tensor(counts))
    assert_close(grouped, looped, atol=1e-4, rtol=2e-2)
    factors = some_rows(32, model_config).bfloat16()
    expected, found = (
        gradients_of(network.experts, (outputs * factors).sum()) for outputs in (looped, grouped)
    )
    for ours, other in zip(found, expected, strict=True):
        assert_close(ours, other, atol=0.02 * max(1e-9, other.abs().max().item()), rtol=0)
