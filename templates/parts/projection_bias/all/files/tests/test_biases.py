"""Every projection adds a vector of its own."""

import torch
from package.model import ModelConfig, build_model
from torch import nn


def test_every_projection_has_a_bias_that_learns(model_config: ModelConfig) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    model(torch.tensor([[1, 2, 3]])).square().sum().backward()
    projections = [m for m in model.layers.modules() if isinstance(m, nn.Linear)]
    per_layer = 4 + len(list(model.layers[0].get_submodule("feed_forward").children()))
    assert len(projections) == model_config.n_layers * per_layer
    for projection in projections:
        assert projection.bias.shape == (projection.out_features,)
        assert projection.bias.grad is not None
    learned = model.layers[0].get_parameter("attention.wv.bias").grad
    assert learned is not None
    assert learned.abs().max() > 0


@torch.no_grad()
def test_a_bias_is_added_to_what_the_layer_gives(model_config: ModelConfig) -> None:
    layer = build_model(model_config, torch.device("cpu"), seed=0).layers[0]
    x = torch.randn(1, 5, model_config.dim, generator=torch.Generator().manual_seed(0))
    for name in ("attention", "feed_forward"):
        sublayer = layer.get_submodule(name)
        before = sublayer(x)
        last = sublayer.get_parameter("wo.bias" if name == "attention" else "w2.bias")
        last.fill_(0.5)
        torch.testing.assert_close(sublayer(x), before + 0.5)
