"""Clipping of gradients of which some are spread over all ranks, and others over a few."""

from collections import defaultdict
from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor

from .ranks import sum_over_ranks


def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    """Scale all gradients by one factor, to a norm of at most ``max_norm``.

    Returns the norm before (0-d, float32), the same on each rank. Torch's ``clip_grad_norm_`` takes
    gradients of one mesh only.
    """
    by_mesh: dict[DeviceMesh, list[nn.Parameter]] = defaultdict(list)
    squares = []
    for parameter in parameters:
        gradient = parameter.grad
        assert isinstance(gradient, DTensor)
        by_mesh[gradient.device_mesh].append(parameter)
        squares.append(_own_square(gradient))
    norm = sum_over_ranks(torch.stack(squares).sum()).sqrt()
    for alike in by_mesh.values():
        nn.utils.clip_grads_with_norm_(alike, max_norm, norm)
    return norm


def _own_square(gradient: DTensor) -> Tensor:
    """The share of this rank in the squared norm: what several ranks have counts once."""
    copies = 1
    for dimension, placement in enumerate(gradient.placements):
        if placement.is_replicate():
            copies *= gradient.device_mesh.size(dimension)
    return gradient.to_local().float().square().sum() / copies
