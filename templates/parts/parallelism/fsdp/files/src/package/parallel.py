"""Fully sharded data parallelism: what is applied to the model from outside, in this order.

Each rank holds a shard of every parameter, and of its gradient and moments. A layer is gathered
right before it runs, in forward and in backward (FSDP, https://arxiv.org/abs/2304.11277).
"""

from typing import Any

import torch
from torch import nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import (
    CPUOffloadPolicy,
    FSDPModule,
    OffloadPolicy,
    fully_shard,
)

from .config import TrainConfig
from .model import Model, ModelConfig


# {# Slots: mesh reads device, config and values, binds mesh and model. init reads model, config and
#    values; draws the weights. prepare reads model and values. policy binds policy, exceptions
#    rebind it and mesh; experts reads and fills options. copies are functions. last_backward reads
#    model and is_last. #}
def build_sharded(config: ModelConfig, device: torch.device, values: TrainConfig) -> Model:
    """A model with new weights, of which this rank holds its shards; never whole on a device."""
    # {% print parallelism.mesh() %}
    parallelize(model, mesh, values)
    materialize(model, torch.device("cpu") if values.cpu_offload else device, device)
    # Every rank draws each tensor whole, with the same seed, and keeps its part: the weights are
    # those of one process. Drawn as shards, they would be the same numbers on every rank.
    # {% print task.init() %}
    return model


def parallelize(model: Model, mesh: DeviceMesh, values: TrainConfig) -> None:
    """Spread a model, still on the meta device, over the mesh."""
    # {% print each.prepare() %}
    shard(model, mesh, values.reshard_after_forward, values.cpu_offload)


def shard(
    model: Model, mesh: DeviceMesh, reshard_after_forward: bool, cpu_offload: bool
) -> FSDPModule:
    """Split the parameters over the ranks, those of a layer as one group; returns the model."""
    # {% print precision.policy() %}
    # {% print each.exceptions() %}
    on_host = CPUOffloadPolicy(pin_memory=mesh.device_type == "cuda")
    options: dict[str, Any] = {
        "mesh": mesh,
        "mp_policy": policy,
        "offload_policy": on_host if cpu_offload else OffloadPolicy(),
    }
    # {% print each.experts() %}
    for layer in model.layers:
        fully_shard(layer, reshard_after_forward=reshard_after_forward, **options)
    # What no layer has, the embeddings and the head, is needed first and last: it stays gathered
    # from the forward pass to the end of the backward pass.
    return fully_shard(model, reshard_after_forward=False, **options)


# {% print each.copies() %}
def materialize(model: nn.Module, place: torch.device, device: torch.device) -> None:
    """Give a model memory: for parameters at ``place``, for buffers on the device."""
    model.to_empty(device=place)
    for module in model.modules():
        for name, buffer in module.named_buffers(recurse=False):
            setattr(module, name, buffer.to(device))


def before_backward(model: nn.Module, is_last: bool) -> None:
    """Say before a forward pass whether its backward pass is the last of the step.

    The gradients of each one are reduced at once, and added up as shards: kept whole until the last
    one they would take as much memory on every device as the model does.
    """
    assert isinstance(model, FSDPModule)
    # {% print parallelism.last_backward() %}
