"""The first layers have a dense network, and what counts experts passes them over."""

import torch
from package.expert_load import routers_of
from package.model import ModelConfig, build_model
from package.model.feed_forward import FeedForward, SwiGLU
from torch import nn
from torch.testing import assert_close


@torch.no_grad()
def test_the_first_layers_are_dense_and_the_others_have_experts(
    model_config: ModelConfig,
) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    networks = [layer.get_submodule("feed_forward") for layer in model.layers]
    kinds: list[type[nn.Module]] = [SwiGLU] * model_config.n_dense_layers
    kinds += [FeedForward] * (model_config.n_layers - model_config.n_dense_layers)
    assert [type(network) for network in networks] == kinds
    w1, w2, w3 = (weight.double() for weight in networks[0].parameters())
    assert len(w1) == model_config.dense_hidden_dim
    x = torch.randn(5, model_config.dim, generator=torch.Generator().manual_seed(0)).double()
    gate = x @ w1.mT
    expected = (gate * torch.sigmoid(gate) * (x @ w3.mT)) @ w2.mT
    assert_close(networks[0].double()(x), expected, atol=1e-12, rtol=1e-9)


@torch.no_grad()
def test_only_layers_with_experts_have_a_load(model_config: ModelConfig) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    n_routers = model_config.n_layers - model_config.n_dense_layers
    model(torch.zeros(2, 10, dtype=torch.int64))
    loads = [int(router.load.sum()) for router in routers_of(model)]
    assert loads == [20 * model_config.top_k] * n_routers
