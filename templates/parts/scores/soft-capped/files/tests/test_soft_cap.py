"""Scores are bounded, exact under autocast, and the same in the kernel."""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from package.model import ModelConfig, blocks, build_model
from package.model.rows import BlockRows
from package.model.soft_cap import capped_attention
from torch import Tensor
from torch.testing import assert_close


def heads(n_heads: int, n_tokens: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(2, n_heads, n_tokens, 6, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
def test_a_cap_out_of_reach_changes_nothing(n_kv_heads: int) -> None:
    q, k, v = heads(4, 5, 0), heads(n_kv_heads, 5, 1), heads(n_kv_heads, 5, 2)
    expected = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    assert_close(capped_attention(q, k, v, None, 1e6), expected, atol=1e-9, rtol=1e-9)
    mask = torch.rand(2, 1, 5, 5, generator=torch.Generator().manual_seed(0)) < 0.5
    mask |= torch.eye(5, dtype=torch.bool)
    for each in (mask, mask[0, 0]):
        expected = F.scaled_dot_product_attention(q, k, v, attn_mask=each, enable_gqa=True)
        assert_close(capped_attention(q, k, v, each, 1e6), expected, atol=1e-9, rtol=1e-9)


def test_the_highest_score_is_the_cap() -> None:
    q, k = torch.tensor([[[[1000.0]]]]), torch.tensor([[[[1.0], [-1.0]]]])
    values = torch.tensor([[[[1.0], [0.0]]]])
    seen = capped_attention(q, k, values, torch.ones(1, 2, dtype=torch.bool), 2.0)
    assert_close(seen.flatten(), torch.sigmoid(torch.tensor([4.0])))  # of 2 and -2


def test_gradients_are_those_of_the_differences() -> None:
    q, k, v = (heads(n, 3, n).requires_grad_() for n in (4, 2, 2))

    def capped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return capped_attention(q, k, v, None, 1.5)

    assert torch.autograd.gradcheck(capped, (q, k, v))


def test_scores_stay_exact_under_autocast() -> None:
    # Scores of 40 and 40.1 would be the same in bfloat16.
    q, k = torch.tensor([[[[16.0, 1, 0, 0]]]]), torch.tensor([[[[5.0, 0, 0, 0], [5, 0.2, 0, 0]]]])
    v = torch.tensor([[[[-1.0], [1.0]]]])
    mask = torch.ones(1, 2, dtype=torch.bool)
    with torch.autocast("cpu", torch.bfloat16):
        seen = capped_attention(q.bfloat16(), k.bfloat16(), v.bfloat16(), mask, 50.0)
    assert_close(seen.float(), capped_attention(q, k, v, mask, 50.0), atol=5e-3, rtol=0)
    assert seen.item() > 0.01


@torch.no_grad()
def test_the_kernel_gives_the_same_logits(
    model_config: ModelConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "compiled", lambda function: function)  # the CPU has its forward
    config = replace(model_config, dim=64)
    model = build_model(config, torch.device("cpu"), seed=0)
    tokens = torch.randint(1, 200, (2, 32), generator=torch.Generator().manual_seed(0))
    rows = BlockRows(config, 32, tokens.device)
    assert_close(model(tokens, rows), model(tokens), atol=1e-5, rtol=1e-5)
