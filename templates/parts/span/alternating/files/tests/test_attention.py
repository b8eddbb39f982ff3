"""Attention against its definition, written out in float64."""

import math

import pytest
import torch
from package.model import ModelConfig, build_model
from package.model.attention import Attention
from torch import Tensor
from torch.testing import assert_close


# {# Slots: function binds normalized; project reads attention, model_config and x, binds head_dim, q
#    and k (B, T, N, H), the features that know their position, and what else it takes; normalize and
#    rotate read attention, rebind q and k; arrange binds q, k and v (B, N, T, H), one for each query
#    head; bias reads distance, and bound model_config, rebind scores. #}
def split_heads(x: Tensor, head_dim: int) -> Tensor:
    return x.view(*x.shape[:-1], -1, head_dim)


# {% print qk_norm.function() %}
@pytest.mark.parametrize(("layer", "window"), [(0, 8), (1, 32)])
@torch.no_grad()
def test_attention_is_a_mean_of_values_weighted_by_a_softmax(
    model_config: ModelConfig, layer: int, window: int
) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0).double()
    attention = model.layers[layer].attention
    assert isinstance(attention, Attention)
    shape = (2, model_config.max_seq_len, model_config.dim)
    x = torch.randn(shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    # {% print attention.project() %}
    # {% print qk_norm.normalize() %}
    # {% print position.rotate() %}
    # {% print attention.arrange() %}
    scores = q @ k.mT / math.sqrt(head_dim)
    positions = torch.arange(x.size(1))
    distance = positions[:, None] - positions
    # {% print position.bias() %}
    # {% print each.bound() %}
    scores = scores.masked_fill((distance < 0) | (distance >= window), -torch.inf)
    heads = torch.softmax(scores, dim=-1) @ v
    expected = attention.wo(heads.transpose(1, 2).flatten(2))
    assert_close(attention(x), expected, atol=1e-12, rtol=1e-9)
