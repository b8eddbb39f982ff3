"""Expert parallelism: each rank of a group holds some of the experts of a layer.

All ranks keep samples of their own. What is no expert is sharded over all ranks, as without it; an
expert over those ranks alone that stand at its place in their groups. The others have its name and
shape, and none of its values, so that weights, moments and checkpoints are in the same order on
every rank (DeepSpeed-MoE, https://arxiv.org/abs/2201.05596, section 5).
"""

from functools import lru_cache
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor

from .config import ConfigError
from .model import Model
from .model.expert_exchange import SpreadExperts
from .model.feed_forward import FeedForward
from .ranks import expert_ranks, world_size


def shard_experts(model: Model, mesh: DeviceMesh, options: dict[str, Any]) -> set[nn.Parameter]:
    """Spread the experts of a model, still on the meta device, over groups of the mesh's ranks.

    Called before anything else is sharded; ``options`` are those of ``fully_shard``. Returns the
    parameters that other ranks hold, which are to be ignored from then on.
    Raises ``ConfigError`` if experts or ranks do not divide.
    """
    degree = expert_ranks()
    sizes = {"n_experts": model.config.n_experts, "ranks that share a copy": mesh.size(-1)}
    problems = [
        f"{name} = {size}: must be a multiple of {degree}, the ranks that share out the experts"
        for name, size in sizes.items()
        if size % degree
    ]
    if problems:
        raise ConfigError(problems)
    if degree == 1:
        return set()
    split, holders = _groups(mesh, degree, dist.group.WORLD)
    n_own, place = model.config.n_experts // degree, split.get_local_rank("expert")
    own = range(place * n_own, (place + 1) * n_own)
    elsewhere: set[nn.Parameter] = set()
    for network in [module for module in model.modules() if isinstance(module, FeedForward)]:
        experts = SpreadExperts(network.experts, own, split.get_group("expert"))
        for number, expert in enumerate(experts):
            if number not in own:
                elsewhere |= _without_values(expert, holders[number // n_own])
        network.experts = experts
        fully_shard(experts, **options | {"mesh": holders[place], "ignored_params": elsewhere})
    return elsewhere


@lru_cache(maxsize=1)
def _groups(
    mesh: DeviceMesh, degree: int, _of: dist.ProcessGroup | None
) -> tuple[DeviceMesh, list[DeviceMesh]]:
    """The mesh split into groups, and for each place in a group the ranks that stand there.

    Made once: another model on the same mesh, such as an average, has the same process groups.
    """
    names = mesh.mesh_dim_names or ()
    ranks = mesh.mesh.unflatten(-1, (-1, degree))  # neighbours are a group
    split = DeviceMesh(mesh.device_type, ranks, mesh_dim_names=(*names, "expert"))
    holders = [
        DeviceMesh(mesh.device_type, ranks[..., place], mesh_dim_names=names)
        for place in range(degree)
    ]
    return split, holders


def _without_values(expert: nn.Module, holders: DeviceMesh) -> set[nn.Parameter]:
    """Let the parameters be those of other ranks; returns them."""
    placements = [*[Replicate()] * (holders.ndim - 1), Shard(0)]
    for module in expert.modules():
        for name, weight in module.named_parameters(recurse=False):
            spread = distribute_tensor(weight, holders, placements, src_data_rank=None)
            module.register_parameter(name, nn.Parameter(spread))
    return set(expert.parameters())


def complete_gradients(model: nn.Module) -> None:
    """Make the gradients of experts means over all ranks, as those of other parameters are.

    Called once a step, after the last backward pass. Experts of other ranks get gradients without
    values, and so moments without values.
    """
    for parameter in model.parameters():
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        assert isinstance(parameter.grad, DTensor)
        # FSDP divides by its own ranks, but each of them has had the tokens of its whole group.
        # Its set_gradient_divide_factor is no help: gloo fails, and one rank alone divides twice.
        groups = world_size() // parameter.grad.device_mesh.size()
        if groups > 1:
            parameter.grad.to_local().div_(groups)
