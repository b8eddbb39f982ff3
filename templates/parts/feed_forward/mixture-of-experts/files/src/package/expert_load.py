"""How the tokens of a step were spread over the experts."""

import torch
from torch import Tensor, nn

from .model.router import Router


# {# Slot: all_ranks reads and rebinds loads. #}
def routers_of(model: nn.Module) -> list[Router]:
    """The routers of all layers that have one, from the first to the last."""
    return [module for module in model.modules() if isinstance(module, Router)]


def take_loads(model: nn.Module) -> Tensor:
    """Tokens that each expert got since the last call: (routers, n_experts), int64.

    Over all micro-batches and devices. Counting starts anew.
    """
    loads = torch.stack([router.load for router in routers_of(model)])
    for router in routers_of(model):
        router.load.zero_()
    # {% print parallelism.all_ranks() %}
    return loads


def load_metrics(loads: Tensor) -> dict[str, float]:
    """The largest and the smallest load of an expert in any layer; 1 is an even share."""
    counts = loads.cpu().double()  # host-device sync, where it is logged; MPS has no float64
    shares = counts / counts.mean(dim=1, keepdim=True)
    return {"expert_load_max": shares.max().item(), "expert_load_min": shares.min().item()}
