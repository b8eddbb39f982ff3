"""Data parallelism: a replica on each device, every one with its share of the batch."""

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def replicate(model: nn.Module, device: torch.device) -> DistributedDataParallel:
    """Wrap the model so that its gradients are averaged over the ranks during the backward pass."""
    ids = [device.index] if device.type == "cuda" else None
    replica = DistributedDataParallel(model, device_ids=ids, gradient_as_bucket_view=True)
    # No buffer is sent round in each step: ranks work them out alike, or count for themselves.
    replica.broadcast_buffers = False
    return replica
