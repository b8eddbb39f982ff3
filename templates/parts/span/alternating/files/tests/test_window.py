"""How far the window reaches, and which layers have none."""

from dataclasses import replace

import pytest
import torch
from package.model import ModelConfig, build_model
from package.model.attention import Attention


@pytest.mark.parametrize("window", [1, 8, 31])
@torch.no_grad()
def test_a_token_is_seen_within_the_window_only(model_config: ModelConfig, window: int) -> None:
    # One layer only, which is no global one: each further one reaches another window - 1 tokens.
    config = replace(model_config, n_layers=1, window=window)
    model = build_model(config, torch.device("cpu"), seed=0)
    tokens = torch.zeros(1, 32, dtype=torch.int64)
    changed = tokens.clone()
    changed[0, 0] = 1
    difference = (model(changed) - model(tokens)).abs().amax(dim=-1)[0]
    assert (difference[:window] > 1e-6).all()
    assert (difference[window:] < 1e-6).all()


@torch.no_grad()
def test_nothing_is_out_of_reach_of_a_global_layer(model_config: ModelConfig) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    tokens = torch.zeros(1, 32, dtype=torch.int64)
    changed = tokens.clone()
    changed[0, 0] = 1
    assert ((model(changed) - model(tokens)).abs().amax(dim=-1) > 1e-6).all()


def test_every_so_manieth_layer_is_global(model_config: ModelConfig) -> None:
    config = replace(model_config, n_layers=8, global_every=3)
    assert [config.is_global(layer) for layer in range(8)] == [False, False, True] * 2 + [False] * 2
    attentions = [
        module
        for module in build_model(config, torch.device("cpu"), seed=0).modules()
        if isinstance(module, Attention)
    ]
    assert [attention.window for attention in attentions] == [8, 8, 32, 8, 8, 32, 8, 8]
