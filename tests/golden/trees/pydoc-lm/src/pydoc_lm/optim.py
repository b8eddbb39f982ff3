"""Muon for the matrices inside the layers, AdamW for everything else, stepped as one optimizer.

Muon (https://arxiv.org/abs/2502.16982) replaces the momentum of a matrix by the nearest matrix
whose singular values are all equal, so that no direction of it is left behind. It is meant for the
matrices that map one hidden state to another; embeddings, the head and norms train with AdamW.
"""

from collections.abc import Callable, Sequence
from typing import Any, overload

import torch
from torch import nn
from torch.optim import AdamW, Muon

from .config import OptimizerConfig


class MuonAdamW(torch.optim.Optimizer):
    """Two optimizers behind the interface of one.

    Its ``param_groups`` are the very dictionaries of the two: a learning rate set here is theirs.
    """

    def __init__(self, muon: Muon, adamw: AdamW) -> None:
        self.muon = muon
        self.adamw = adamw
        super().__init__(muon.param_groups + adamw.param_groups, defaults={})

    @overload
    def step(self, closure: None = None) -> None: ...

    @overload
    def step(self, closure: Callable[[], float]) -> float: ...

    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        loss = None if closure is None else closure()
        self.muon.step()
        self.adamw.step()
        return loss

    def state_dict(self) -> dict[str, Any]:
        return {"muon": self.muon.state_dict(), "adamw": self.adamw.state_dict()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.muon.load_state_dict(state_dict["muon"])
        self.adamw.load_state_dict(state_dict["adamw"])
        self.param_groups = self.muon.param_groups + self.adamw.param_groups


def parameter_groups(
    model: nn.Module, weight_decay: float
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The group of Muon and those of AdamW: every parameter of the model in exactly one."""
    embeddings = {m.weight for m in model.modules() if isinstance(m, nn.Embedding)}
    linear = {m.weight for m in model.modules() if isinstance(m, nn.Linear)} - embeddings
    layers = model.get_submodule("layers").modules()
    inner = {m.weight for m in layers if isinstance(m, nn.Linear)}
    # Sets find the members; the order comes from the model, or it would change from run to run.
    parameters = list(model.parameters())
    hidden = {
        "name": "matrices of the layers (Muon)",
        "params": [p for p in parameters if p in inner],
        "weight_decay": weight_decay,
    }
    others = [
        {
            "name": "other matrices (AdamW)",
            "params": [p for p in parameters if p in linear - inner],
            "weight_decay": weight_decay,
        },
        {
            "name": "embeddings, norms, biases (AdamW)",
            "params": [p for p in parameters if p not in linear],
            "weight_decay": 0.0,
        },
    ]
    return hidden, [group for group in others if group["params"]]


def build_optimizer(model: nn.Module, config: OptimizerConfig) -> torch.optim.Optimizer:
    """Muon and AdamW; ``base_lr`` of a group is its rate at the peak of the schedule."""
    hidden, others = parameter_groups(model, config.weight_decay)
    hidden["base_lr"] = config.muon_learning_rate
    for group in others:
        group["base_lr"] = config.learning_rate
    muon = Muon([hidden], lr=config.muon_learning_rate, momentum=config.muon_momentum)
    adamw = AdamW(others, lr=config.learning_rate, betas=(config.beta1, config.beta2), fused=True)
    return MuonAdamW(muon, adamw)


def describe_groups(optimizer: torch.optim.Optimizer) -> Sequence[str]:
    """A line for each group: what is in it, how many values, which rate and decay."""
    return [
        f"{group['name']}: {sum(p.numel() for p in group['params']):,} values,"
        f" learning rate {group['base_lr']:g}, weight decay {group['weight_decay']:g}"
        for group in optimizer.param_groups
    ]
