"""Experts of other ranks compute what own ones would, and each rank holds its share of them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import new_state
from many_ranks import run_ranks
from package.config import Config, ConfigError
from package.expert_parallel import complete_gradients
from package.model import ModelConfig, build_model
from package.model.expert_exchange import even_rows
from package.model.feed_forward import FeedForward
from package.model.router import Routing
from package.parallel import build_sharded
from package.ranks import rank
from package.shards import whole
from torch import Tensor, nn
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor

# {# Slots: products binds DTYPE and TOLERANCE. #}
CPU = torch.device("cpu")
N_TOKENS = 12
# {% print precision.products() %}


def tokens_of(number: int, config: ModelConfig) -> Tensor:
    """Those of one rank, as the layer before gives them."""
    generator = torch.Generator().manual_seed(number)
    return torch.randn(N_TOKENS, config.dim, generator=generator).to(DTYPE)


def last_network(model: nn.Module) -> FeedForward:
    return [module for module in model.modules() if isinstance(module, FeedForward)][-1]


def choose_first(_router: nn.Module, _tokens: tuple[Tensor], routing: Any) -> Routing:
    """All tokens to the first experts, which are those of rank 0: the other one gets none."""
    n_experts, top_k = len(routing.counts), routing.experts.size(1)
    experts = torch.arange(top_k).expand_as(routing.experts)
    return Routing(experts, routing.weights, experts.flatten().bincount(minlength=n_experts))


def outputs_and_gradients(
    config: Config, model_config: ModelConfig, chosen_alike: bool
) -> tuple[Tensor, dict[str, Tensor]]:
    """Of the tokens of this rank, and of the experts on all."""
    model = new_state(config, model_config, CPU).model
    for layer in model.layers:
        assert isinstance(layer, FSDPModule)
        layer.unshard()  # as in a forward pass of the layer, of which this is a part
    network = last_network(model)
    if chosen_alike:
        network.router.register_forward_hook(choose_first)
    outputs = network(tokens_of(rank(), model_config))
    outputs.float().square().sum().backward()
    complete_gradients(network.experts)
    gradients = {
        name: whole(weight.grad)
        for name, weight in network.experts.named_parameters()
        if weight.grad is not None
    }
    return outputs.detach(), gradients


@pytest.mark.parametrize("chosen_alike", [False, True])
def test_the_outputs_and_gradients_are_those_of_one_rank_with_all_experts(
    config: Config, model_config: ModelConfig, tmp_path: Path, chosen_alike: bool
) -> None:
    results = run_ranks(
        2, tmp_path / "ranks", outputs_and_gradients, config, model_config, chosen_alike
    )
    network = last_network(build_model(model_config, CPU, config.train.seed)).to(DTYPE)
    if chosen_alike:
        network.router.register_forward_hook(choose_first)
    for number, (outputs, _) in enumerate(results):
        expected = network(tokens_of(number, model_config))
        (expected.float().square().sum() / 2).backward()  # the mean over the ranks
        assert_alike(outputs, expected.detach())
    for name, weight in network.experts.named_parameters():
        assert weight.grad is not None
        for _, gradients in results:
            assert_alike(gradients[name], weight.grad)


def assert_alike(value: Tensor, expected: Tensor) -> None:
    assert (value - expected).norm() <= TOLERANCE * expected.norm()


def held(config: Config, model_config: ModelConfig) -> dict[str, int]:
    """How many values this rank has of each parameter of the last experts."""
    network = last_network(new_state(config, model_config, CPU).model)
    return {
        name: weight.to_local().numel()
        for name, weight in network.experts.named_parameters()
        if isinstance(weight, DTensor)
    }


def test_each_rank_holds_half_of_the_experts_whole(
    config: Config, model_config: ModelConfig, tmp_path: Path
) -> None:
    first, second = run_ranks(2, tmp_path / "ranks", held, config, model_config)
    network = last_network(build_model(model_config, CPU, seed=0))
    half = model_config.n_experts // 2
    for name, weight in network.experts.named_parameters():
        is_first = int(name.split(".")[0]) < half
        assert (first[name], second[name]) == (
            (weight.numel(), 0) if is_first else (0, weight.numel())
        )


def refusal(config: Config, model_config: ModelConfig) -> str:
    with pytest.raises(ConfigError) as error:
        build_sharded(model_config, CPU, config.train)
    return str(error.value)


def test_experts_that_do_not_divide_are_refused(
    config: Config, model_config: ModelConfig, tmp_path: Path
) -> None:
    odd = replace(model_config, n_experts=5)
    messages = run_ranks(2, tmp_path / "ranks", refusal, config, odd)
    assert (
        messages
        == ["n_experts = 5: must be a multiple of 2, the ranks that share out the experts"] * 2
    )


def test_an_even_spread_leaves_no_row_out() -> None:
    assert even_rows(torch.zeros(2, 3), 11) == [[3, 4, 4]] * 2
