"""The transformer against what it promises: weights, order, causality, gradients, FLOPs."""

import math

import pytest
import torch
import torch.nn.functional as F
from package.model import ModelConfig, Transformer, build_model
from torch import Tensor
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode

# {# Slots: expected reads name and weight; layers reads model_config, binds config. #}
CPU = torch.device("cpu")


@pytest.fixture
def model(model_config: ModelConfig) -> Transformer:
    return build_model(model_config, CPU, seed=0)


def random_tokens(config: ModelConfig) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randint(config.vocab_size, (2, config.max_seq_len), generator=generator)


def test_every_weight_is_drawn_as_the_table_says(model: Transformer) -> None:
    residual_std = 0.02 / math.sqrt(2 * model.config.n_layers)
    for name, weight in model.named_parameters():
        # {% print projection_bias.expected() %}
        if weight.ndim == 1:
            assert torch.equal(weight, torch.ones_like(weight)), name
            continue
        std = residual_std if name.endswith(("wo.weight", "w2.weight")) else 0.02
        # Within five standard errors of what so many numbers give.
        error = 5 * std / math.sqrt(weight.numel())
        assert weight.mean().item() == pytest.approx(0, abs=error), name
        assert weight.std().item() == pytest.approx(std, abs=error), name


def test_weights_follow_from_the_seed(model: Transformer) -> None:
    torch.manual_seed(123)  # the global generator plays no part
    again = build_model(model.config, CPU, seed=0).state_dict()
    other = build_model(model.config, CPU, seed=1).state_dict()
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, again[name]), name
        assert weight.ndim == 1 or not torch.equal(weight, other[name]), name


def test_logits_do_not_depend_on_later_tokens(model: Transformer) -> None:
    tokens = random_tokens(model.config)
    changed = tokens.clone()
    changed[:, 20] = (changed[:, 20] + 1) % model.config.vocab_size
    before, after = model(tokens), model(changed)
    assert_close(after[:, :20], before[:, :20], atol=1e-6, rtol=0)
    assert (after[:, 20] - before[:, 20]).abs().max() > 1e-3


def test_the_order_of_tokens_matters(model_config: ModelConfig) -> None:
    # {% print position.layers() %}
    # In float64, and with larger matrices: new ones hardly tell tokens apart.
    model = build_model(config, CPU, seed=0).double()
    for weight in model.parameters():
        weight.data.mul_(10 if weight.ndim > 1 else 1)
    ordered, swapped = model(torch.tensor([[1, 2, 3, 4], [2, 1, 3, 4]]))[:, -1]
    assert (ordered - swapped).abs().max() > 1e-3


def test_gradients_equal_those_in_float64(model: Transformer) -> None:
    tokens = random_tokens(model.config)
    exact = build_model(model.config, CPU, seed=0).double()
    for network in (model, exact):
        logits = network(tokens[:, :-1]).flatten(0, 1)
        F.cross_entropy(logits, tokens[:, 1:].flatten()).backward()
    for (name, weight), reference in zip(model.named_parameters(), exact.parameters(), strict=True):
        assert weight.grad is not None, name
        assert reference.grad is not None, name
        scale = max(1e-3, reference.grad.abs().max().item())  # some are 0 but for rounding
        assert_close(weight.grad.double(), reference.grad, atol=1e-4 * scale, rtol=0)


def test_flops_are_those_that_torch_counts(model_config: ModelConfig) -> None:
    with torch.device("meta"):
        model = Transformer(model_config)
        tokens = torch.zeros(2, model_config.max_seq_len, dtype=torch.int64)
    with FlopCounterMode(display=False) as counter:
        model(tokens).sum().backward()
    assert counter.get_total_flops() == model.flops_per_token() * tokens.numel()


def test_too_long_a_sequence_is_refused(model: Transformer) -> None:
    with pytest.raises(ValueError, match="max_seq_len = 32"):
        model(torch.zeros(1, 33, dtype=torch.int64))
    cache = model.new_cache(batch_size=1)
    model(torch.zeros(1, 30, dtype=torch.int64), cache)
    with pytest.raises(ValueError, match="start a new cache"):
        model(torch.zeros(1, 3, dtype=torch.int64), cache)
