"""Every projection of attention adds a vector of its own."""

import torch
from package.model import ModelConfig, build_model
from package.model.attention import Attention
from torch import nn


def test_every_projection_of_attention_has_a_bias_and_no_other(model_config: ModelConfig) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    model(torch.tensor([[1, 2, 3]])).square().sum().backward()
    attentions = [module for module in model.modules() if isinstance(module, Attention)]
    assert attentions
    for attention in attentions:
        biases = {name for name, _ in attention.named_parameters() if name.endswith("bias")}
        assert biases == {"wq.bias", "wk.bias", "wv.bias", "wo.bias"}
        for name in biases:
            learned = attention.get_parameter(name).grad
            assert learned is not None
            assert learned.shape == attention.get_parameter(name).shape
        learned = attention.wo.bias.grad
        assert learned is not None
        assert learned.abs().max() > 0
    others = [
        module
        for layer in model.layers
        for module in layer.get_submodule("feed_forward").modules()
        if isinstance(module, nn.Linear)
    ]
    assert all(module.bias is None for module in others)


@torch.no_grad()
def test_a_bias_is_added_to_what_attention_gives(model_config: ModelConfig) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    attention = next(module for module in model.modules() if isinstance(module, Attention))
    x = torch.randn(1, 5, model_config.dim, generator=torch.Generator().manual_seed(0))
    before = attention(x)
    attention.wo.bias.fill_(0.5)
    torch.testing.assert_close(attention(x), before + 0.5)
