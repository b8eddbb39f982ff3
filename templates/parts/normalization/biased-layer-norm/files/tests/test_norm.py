"""The norm against its formula."""

import torch
from package.model import ModelConfig, build_model
from torch.testing import assert_close


@torch.no_grad()
def test_output_is_that_of_the_formula(model_config: ModelConfig) -> None:
    norm = build_model(model_config, torch.device("cpu"), seed=0).norm
    norm.weight.fill_(2.0)
    norm.bias.fill_(0.5)
    x = 3 + torch.randn(2, 5, model_config.dim, generator=torch.Generator().manual_seed(0))
    centered = x - x.mean(dim=-1, keepdim=True)
    variance = centered.square().mean(dim=-1, keepdim=True)
    expected = 2 * centered / (variance + model_config.norm_eps).sqrt() + 0.5
    assert_close(norm(x), expected, atol=1e-5, rtol=1e-5)
