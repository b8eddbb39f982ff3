"""The vision transformer against what it promises: weights, order, gradients, FLOPs."""

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from package.model import ModelConfig, VisionTransformer, build_model
from torch import Tensor
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode

CPU = torch.device("cpu")


# {# Slot: expected_std reads name, may rebind std. #}
def build_with_head(config: ModelConfig) -> VisionTransformer:
    """A model with a head that is not zero, as after some training."""
    model = build_model(config, CPU, seed=0)
    with torch.no_grad():
        model.head.weight.normal_(generator=torch.Generator().manual_seed(1))
    return model


@pytest.fixture
def model(model_config: ModelConfig) -> VisionTransformer:
    return build_with_head(model_config)


def random_images(config: ModelConfig) -> Tensor:
    shape = (2, config.n_channels, config.image_size, config.image_size)
    return torch.randn(shape, generator=torch.Generator().manual_seed(2))


def test_every_weight_is_drawn_as_the_table_says(model_config: ModelConfig) -> None:
    for name, weight in build_model(model_config, CPU, seed=0).named_parameters():
        if name.endswith("bias") or name == "head.weight":
            assert not weight.any(), name
            continue
        if weight.ndim == 1:
            assert torch.equal(weight, torch.ones_like(weight)), name
            continue
        std = 1 / math.sqrt(weight[0].numel())
        if name.endswith(("wo.weight", "w2.weight")):
            std /= math.sqrt(2 * model_config.n_layers)
        # {% print position.expected_std() %}
        # Within five standard errors of what so many numbers give.
        error = 5 * std / math.sqrt(weight.numel())
        assert weight.mean().item() == pytest.approx(0, abs=error), name
        assert weight.std().item() == pytest.approx(std, abs=error), name


def test_weights_follow_from_the_seed(model_config: ModelConfig) -> None:
    first, again, other = (build_model(model_config, CPU, seed).state_dict() for seed in (0, 0, 1))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["patch_embed.weight"], other["patch_embed.weight"])


def test_every_pixel_counts(model: VisionTransformer) -> None:
    images = random_images(model.config).requires_grad_()
    logits = model(images)
    assert logits.shape == (2, model.config.n_classes)
    logits[:, 0].sum().backward()
    assert images.grad is not None
    assert (images.grad != 0).all()


@torch.no_grad()
def test_the_order_of_patches_matters(model_config: ModelConfig) -> None:
    size = model_config.patch_size
    model = build_with_head(replace(model_config, image_size=2 * size))
    images = random_images(model.config)
    moved = images.clone()  # the first two patches change places
    moved[..., :size, :size] = images[..., :size, size : 2 * size]
    moved[..., :size, size : 2 * size] = images[..., :size, :size]
    assert (model(moved) - model(images)).abs().max() > 1e-4


def test_gradients_equal_those_in_float64(model: VisionTransformer) -> None:
    images = random_images(model.config)
    exact = build_model(model.config, CPU, seed=0).double()
    exact.load_state_dict(model.state_dict())
    for network, inputs in ((model, images), (exact, images.double())):
        F.cross_entropy(network(inputs), torch.tensor([1, 0])).backward()
    for (name, weight), reference in zip(model.named_parameters(), exact.parameters(), strict=True):
        assert weight.grad is not None, name
        assert reference.grad is not None, name
        scale = reference.grad.abs().max().item()
        assert_close(weight.grad.double(), reference.grad, atol=1e-4 * scale, rtol=0)


def test_flops_are_those_that_torch_counts(model_config: ModelConfig) -> None:
    with torch.device("meta"):
        model = VisionTransformer(model_config)
        images = torch.zeros(4, model_config.n_channels, *[model_config.image_size] * 2)
    with FlopCounterMode(display=False) as counter:
        model(images)
    per_image = counter.get_total_flops() // 4
    assert model.flops_per_token() == 3 * (per_image // model_config.tokens_per_sample)


def test_sizes_that_do_not_fit_are_refused(model_config: ModelConfig) -> None:
    with pytest.raises(ValueError, match="the next one is 36"):
        replace(model_config, dim=34)
    with pytest.raises(ValueError, match="every pixel belongs to one patch"):
        replace(model_config, patch_size=model_config.image_size - 1)
