"""Every parameter is updated by the optimizer that is meant for it."""

import copy
from dataclasses import replace

import torch
from package.config import Config
from package.model import ModelConfig, build_model
from package.optim import build_optimizer, describe_groups
from package.state import TrainState
from torch import nn
from torch.optim import AdamW, Muon


def step_with_random_gradients(
    optimizer: torch.optim.Optimizer, model: nn.Module, seed: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        parameter.grad = torch.randn(parameter.shape, generator=generator)
    optimizer.step()


def test_every_parameter_is_in_exactly_one_group(state: TrainState) -> None:
    grouped = [p for group in state.optimizer.param_groups for p in group["params"]]
    assert len(grouped) == len(set(grouped))
    assert set(grouped) == set(state.model.parameters())
    assert len(describe_groups(state.optimizer)) == len(state.optimizer.param_groups)


def test_muon_takes_the_matrices_of_the_layers_and_nothing_else(state: TrainState) -> None:
    layers = state.model.layers.modules()
    matrices = {module.weight for module in layers if isinstance(module, nn.Linear)}
    (muon,) = (g for g in state.optimizer.param_groups if "Muon" in g["name"])
    assert set(muon["params"]) == matrices


def test_only_the_weights_of_linear_layers_decay(state: TrainState, config: Config) -> None:
    optimizer = build_optimizer(state.model, replace(config.optimizer, weight_decay=0.1))
    modules = list(state.model.modules())
    embeddings = {m.weight for m in modules if isinstance(m, nn.Embedding)}
    linear = {m.weight for m in modules if isinstance(m, nn.Linear)}
    decaying = [group for group in optimizer.param_groups if group["weight_decay"]]
    decayed = {p for group in decaying for p in group["params"]}
    assert decayed == linear - embeddings


def test_steps_equal_the_two_optimizers_on_their_own(
    config: Config, model_config: ModelConfig
) -> None:
    values = config.optimizer
    model, other = (build_model(model_config, torch.device("cpu"), seed=0) for _ in range(2))
    names = {parameter: name for name, parameter in model.named_parameters()}
    ours = build_optimizer(model, values)
    theirs = dict(other.named_parameters())
    muon, *rest = [
        {
            "params": [theirs[names[p]] for p in group["params"]],
            "weight_decay": group["weight_decay"],
        }
        for group in ours.param_groups
    ]
    separate = [
        Muon([muon], lr=values.muon_learning_rate, momentum=values.muon_momentum),
        AdamW(rest, lr=values.learning_rate, betas=(values.beta1, values.beta2), fused=True),
    ]
    for seed in range(3):
        step_with_random_gradients(ours, model, seed)
        for parameter, twin in zip(model.parameters(), other.parameters(), strict=True):
            assert parameter.grad is not None
            twin.grad = parameter.grad.clone()
        for optimizer in separate:
            optimizer.step()
    for parameter, twin in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(parameter, twin)


def test_a_learning_rate_set_after_loading_reaches_both(
    config: Config, model_config: ModelConfig
) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    optimizer = build_optimizer(model, config.optimizer)
    step_with_random_gradients(optimizer, model, seed=0)
    optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    for group in optimizer.param_groups:
        group["lr"] = 0.0
    before = copy.deepcopy(model.state_dict())
    step_with_random_gradients(optimizer, model, seed=1)
    torch.testing.assert_close(dict(model.state_dict()), dict(before), rtol=0, atol=0)
