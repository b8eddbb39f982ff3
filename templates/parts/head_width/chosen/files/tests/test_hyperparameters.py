"""Heads need not divide the width."""

from dataclasses import replace

import torch
from package.model import ModelConfig
from package.model.attention import Attention


def test_heads_have_the_width_that_was_asked_for(model_config: ModelConfig) -> None:
    config = replace(model_config, dim=34, head_dim=12)
    with torch.device("meta"):
        attention = Attention(config)
    assert attention.wq.weight.shape == (config.n_heads * 12, 34)
    assert attention.wo.weight.shape == (34, config.n_heads * 12)
