"""How far the window reaches."""

from dataclasses import replace

import pytest
import torch
from package.model import ModelConfig, build_model


@pytest.mark.parametrize("window", [1, 8, 31])
@torch.no_grad()
def test_a_token_is_seen_within_the_window_only(model_config: ModelConfig, window: int) -> None:
    # One layer only: each further one reaches another window - 1 tokens.
    config = replace(model_config, n_layers=1, window=window)
    model = build_model(config, torch.device("cpu"), seed=0)
    tokens = torch.zeros(1, 32, dtype=torch.int64)
    changed = tokens.clone()
    changed[0, 0] = 1
    difference = (model(changed) - model(tokens)).abs().amax(dim=-1)[0]
    assert (difference[:window] > 1e-6).all()
    assert (difference[window:] < 1e-6).all()
