"""Every parameter is updated, and only weight matrices decay."""

from dataclasses import replace

import torch
from package.config import Config
from package.model import ModelConfig, build_model
from package.optim import build_optimizer, describe_groups
from package.state import TrainState
from torch import nn


def test_every_parameter_is_in_exactly_one_group(state: TrainState) -> None:
    grouped = [p for group in state.optimizer.param_groups for p in group["params"]]
    assert len(grouped) == len(set(grouped))
    assert set(grouped) == set(state.model.parameters())


def test_only_the_weights_of_linear_layers_decay(state: TrainState, config: Config) -> None:
    optimizer = build_optimizer(state.model, replace(config.optimizer, weight_decay=0.1))
    modules = list(state.model.modules())
    embeddings = {m.weight for m in modules if isinstance(m, nn.Embedding)}
    linear = {m.weight for m in modules if isinstance(m, nn.Linear)}
    decaying = [group for group in optimizer.param_groups if group["weight_decay"]]
    decayed = {p for group in decaying for p in group["params"]}
    assert decayed == linear - embeddings
    assert len(describe_groups(optimizer)) == len(optimizer.param_groups)


def test_five_steps_equal_adamw_without_groups(config: Config, model_config: ModelConfig) -> None:
    values = config.optimizer
    model, plain = (build_model(model_config, torch.device("cpu"), seed=0) for _ in range(2))
    grouped = build_optimizer(model, values)
    for group in grouped.param_groups:
        group["weight_decay"] = values.weight_decay
    reference = torch.optim.AdamW(
        plain.parameters(),
        lr=values.learning_rate,
        betas=(values.beta1, values.beta2),
        weight_decay=values.weight_decay,
    )
    generator = torch.Generator().manual_seed(0)
    for _ in range(5):
        for ours, theirs in zip(model.parameters(), plain.parameters(), strict=True):
            ours.grad = torch.randn(ours.shape, generator=generator)
            theirs.grad = ours.grad.clone()
        grouped.step()
        reference.step()
    for ours, theirs in zip(model.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs)
