"""Layers that are computed again give what they gave."""

import copy

import torch
from package.config import Config
from package.data import TrainSet
from package.model import Model, ModelConfig, build_model
from package.objective import summed_loss
from package.recomputation import recompute_layers

CPU = torch.device("cpu")


def test_gradients_are_those_of_layers_that_keep_all(
    config: Config, model_config: ModelConfig
) -> None:
    whole = build_model(model_config, CPU, seed=0)
    ours = copy.deepcopy(whole)
    recompute_layers(ours.layers)
    batch = TrainSet(config.data, model_config, seed=0).samples(0, 2)
    for precision in (torch.float32, torch.bfloat16):
        for model in (whole, ours):
            model.zero_grad()
            with torch.autocast("cpu", precision, enabled=precision != torch.float32):
                loss = summed_loss(model, batch)
            loss.backward()
        for (name, one), other in zip(whole.named_parameters(), ours.parameters(), strict=True):
            assert one.grad is not None, name
            assert other.grad is not None, name
            assert torch.equal(one.grad, other.grad), (name, precision)


def test_each_layer_is_computed_once_more(config: Config, model_config: ModelConfig) -> None:
    model = build_model(model_config, CPU, seed=0)
    recompute_layers(model.layers)
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    for layer in model.layers:
        next(layer.children()).register_forward_hook(count)
    batch = TrainSet(config.data, model_config, seed=0).samples(0, 2)
    loss = summed_loss(model, batch)
    assert calls == len(model.layers)
    loss.backward()
    assert calls == 2 * len(model.layers)
    calls = 0
    with torch.no_grad():
        summed_loss(model, batch)
    assert calls == len(model.layers)


def test_the_names_of_the_weights_stay(model_config: ModelConfig) -> None:
    model = build_model(model_config, CPU, seed=0)
    names = list(model.state_dict())
    recompute_layers(model.layers)
    assert list(model.state_dict()) == names
    assert [name for name, _ in model.named_modules()] == [
        name for name, _ in build_model(model_config, CPU, seed=0).named_modules()
    ]


def test_a_copy_computes_with_its_own_weights(config: Config, model_config: ModelConfig) -> None:
    model = build_model(model_config, CPU, seed=0)
    recompute_layers(model.layers)
    copied: Model = copy.deepcopy(model)
    for weight in copied.parameters():
        weight.data.mul_(1.5)
    batch = TrainSet(config.data, model_config, seed=0).samples(0, 2)
    summed_loss(copied, batch).backward()
    assert all(weight.grad is None for weight in model.parameters())
    assert any(weight.grad is not None for weight in copied.layers.parameters())
