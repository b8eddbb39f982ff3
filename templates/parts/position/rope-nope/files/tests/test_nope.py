"""Which layers know positions, and that the others do not."""

from dataclasses import replace

import torch
from package.model import ModelConfig, build_model
from package.model.attention import Attention


def attentions(config: ModelConfig) -> list[Attention]:
    model = build_model(config, torch.device("cpu"), seed=0)
    return [module for module in model.modules() if isinstance(module, Attention)]


def test_every_so_manieth_layer_has_no_angles(model_config: ModelConfig) -> None:
    config = replace(model_config, n_layers=7, nope_every=3)
    expected = [True, True, False, True, True, False, True]
    assert [config.has_rope(layer) for layer in range(7)] == expected
    assert [attention.rope is not None for attention in attentions(config)] == expected


@torch.no_grad()
def test_a_layer_without_angles_does_not_know_the_order(model_config: ModelConfig) -> None:
    x = torch.randn(1, 6, model_config.dim, generator=torch.Generator().manual_seed(0))
    swapped = x[:, [1, 0, 2, 3, 4, 5]]
    differences = [
        (attention(x) - attention(swapped))[:, -1].abs().max().item()
        for attention in attentions(model_config)
    ]
    assert differences[0] > 1e-6
    assert differences[1] < 1e-6
