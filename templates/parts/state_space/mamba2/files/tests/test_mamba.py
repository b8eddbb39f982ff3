"""A layer of Mamba-2 against its formulas, written out in float64, and what it keeps of a text."""

import math
from dataclasses import replace

import pytest
import torch
from package.model import ModelConfig, build_model
from package.model.mamba import Mamba2
from package.model.mamba_cache import MambaCache
from package.model.ssd import running_sums
from torch import Tensor
from torch.testing import assert_close

CPU = torch.device("cpu")


def first_mamba(config: ModelConfig) -> Mamba2:
    modules = build_model(config, CPU, seed=0).modules()
    return next(module for module in modules if isinstance(module, Mamba2))


@pytest.fixture
def mamba(model_config: ModelConfig) -> Mamba2:
    """A layer whose every weight shows in the output."""
    layer = first_mamba(model_config)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in layer.parameters():
            weight.add_(torch.randn(weight.shape, generator=generator), alpha=0.2)
    return layer


def stream(config: ModelConfig, n_tokens: int = 13) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(2, n_tokens, config.dim, generator=generator)


@torch.no_grad()
def test_the_layer_equals_its_formulas(mamba: Mamba2, model_config: ModelConfig) -> None:
    config, layer, x = model_config, mamba.double(), stream(model_config)[0].double()
    d_inner, n_heads = config.d_inner, config.n_ssm_heads
    projected = x @ layer.in_proj.weight.T
    z, xbc, steps = projected.tensor_split((d_inner, d_inner + config.conv_dim), dim=-1)
    states = torch.zeros(n_heads, config.ssm_head_dim, config.d_state, dtype=torch.float64)
    rows = []
    for t in range(len(x)):
        seen = xbc[max(0, t + 1 - config.conv_width) : t + 1]
        taps = layer.conv.weight[config.conv_width - len(seen) :]
        mixed = (seen * taps).sum(dim=0) + layer.conv.bias
        inner, b, c = (mixed / (1 + (-mixed).exp())).tensor_split(
            (d_inner, d_inner + config.n_ssm_groups * config.d_state)
        )
        dt = (1 + (steps[t] + layer.dt_bias).exp()).log()
        heads = []
        for head, values in enumerate(inner.chunk(n_heads)):
            group = head * config.n_ssm_groups // n_heads
            decay = (-dt[head] * layer.A_log[head].exp()).exp()
            added = dt[head] * torch.outer(values, b.chunk(config.n_ssm_groups)[group])
            states[head] = decay * states[head] + added
            read = states[head] @ c.chunk(config.n_ssm_groups)[group]
            heads.append(read + layer.D[head] * values)
        gated = torch.cat(heads) * z[t] / (1 + (-z[t]).exp())
        normalized = torch.cat(
            [
                group / (group.square().mean() + config.norm_eps).sqrt()
                for group in gated.chunk(config.n_ssm_groups)
            ]
        )
        rows.append(layer.out_proj.weight @ (normalized * layer.norm.weight))
    assert_close(layer(x[None])[0], torch.stack(rows), atol=1e-10, rtol=1e-8)


@torch.no_grad()
def test_what_is_kept_does_not_grow_with_the_text(mamba: Mamba2, model_config: ModelConfig) -> None:
    cache = MambaCache(model_config, 2, CPU, torch.float32)
    empty = (cache.window.shape, cache.state.shape)
    x = stream(model_config, 30)
    expected = mamba(x)
    chunks = []
    for chunk in x.split((1, 20, 1, 8), dim=1):
        chunks.append(mamba(chunk, cache))
        assert (cache.window.shape, cache.state.shape) == empty
        assert cache.window.untyped_storage().nbytes() == 4 * cache.window.numel()
    assert_close(torch.cat(chunks, dim=1), expected, atol=1e-5, rtol=1e-5)
    assert cache.length == 30


@torch.no_grad()
def test_decays_and_states_stay_in_float32_under_autocast(
    mamba: Mamba2, model_config: ModelConfig
) -> None:
    cache = MambaCache(model_config, 2, CPU, torch.float32)
    x = stream(model_config)
    expected = mamba(x)
    with torch.autocast("cpu", torch.bfloat16):
        y = mamba(x, cache)
    assert y.dtype == torch.bfloat16
    assert cache.state.dtype == torch.float32
    assert_close(y.float(), expected, atol=0.05 * expected.std().item(), rtol=0.05)


def test_weights_are_drawn_as_the_table_says(model_config: ModelConfig) -> None:
    config = replace(model_config, expand=32, ssm_head_dim=2, d_state=64)  # many of each
    mamba = first_mamba(config)
    steps = torch.nn.functional.softplus(mamba.dt_bias.detach().double()).log()
    # A uniform variable has its ends, its middle and a standard deviation of width / sqrt(12).
    for values, low, high in (
        (steps, math.log(1e-3), math.log(0.1)),
        (mamba.A_log.detach().exp(), 1.0, 16.0),
        (mamba.conv.weight.detach(), -1 / math.sqrt(3), 1 / math.sqrt(3)),
    ):
        assert low - 1e-4 <= values.min()
        assert values.max() <= high + 1e-4
        error = 5 / math.sqrt(12 * values.numel())
        assert values.mean().item() == pytest.approx((low + high) / 2, abs=error * (high - low))
        assert values.std().item() == pytest.approx((high - low) / math.sqrt(12), rel=0.1)
    assert not mamba.conv.bias.any()
    for ones in (mamba.D, mamba.norm.weight):
        assert torch.equal(ones, torch.ones_like(ones))


@pytest.mark.parametrize("length", [1, 2, 7, 16])
def test_deterministic_sums_are_the_same_sums(length: int) -> None:
    steps = torch.randn(3, length, 2, dtype=torch.float64, requires_grad=True)
    expected = running_sums(steps, 1)
    torch.use_deterministic_algorithms(True)
    try:
        found = running_sums(steps, 1)
    finally:
        torch.use_deterministic_algorithms(False)
    assert_close(found, expected)
    assert_close(
        torch.autograd.grad(found.square().sum(), steps),
        torch.autograd.grad(expected.square().sum(), steps),
    )


def test_widths_that_do_not_go_together_are_refused(model_config: ModelConfig) -> None:
    with pytest.raises(ValueError, match="ssm_head_dim = 24"):
        Mamba2(replace(model_config, ssm_head_dim=24))
    with pytest.raises(ValueError, match="n_ssm_groups = 3"):
        Mamba2(replace(model_config, n_ssm_groups=3))
