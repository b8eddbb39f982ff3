"""The feed-forward network against its formula, in float64."""

import math

import torch
from package.model import ModelConfig
from package.model.feed_forward import FeedForward
from torch.testing import assert_close


@torch.no_grad()
def test_output_is_that_of_the_formula(model_config: ModelConfig) -> None:
    network = FeedForward(model_config).double()
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, 5, model_config.dim, generator=generator, dtype=torch.float64)
    w1, w2, w3 = (network.get_parameter(f"w{i}.weight") for i in (1, 2, 3))
    gate = x @ w1.mT
    inner = math.sqrt(2 / math.pi) * (gate + 0.044715 * gate**3)
    opened = 0.5 * gate * (1 + torch.tanh(inner))
    expected = (opened * (x @ w3.mT)) @ w2.mT
    assert_close(network(x), expected, atol=1e-12, rtol=1e-9)
