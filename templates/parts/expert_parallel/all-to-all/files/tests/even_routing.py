"""Routers that give each expert as many tokens, for what depends on how many there are."""

from typing import Any

import torch
from package.expert_load import routers_of
from package.model.router import Routing
from torch import Tensor, nn


def choose_evenly(model: nn.Module) -> None:
    """Let all routers choose the experts in turn, from now on."""
    for router in routers_of(model):
        router.register_forward_hook(_in_turn)


def _in_turn(_router: nn.Module, _tokens: tuple[Tensor], routing: Any) -> Routing:
    n_experts = len(routing.counts)
    experts = torch.arange(routing.experts.numel()).view_as(routing.experts) % n_experts
    counts = experts.flatten().bincount(minlength=n_experts)
    return Routing(experts, routing.weights, counts)
