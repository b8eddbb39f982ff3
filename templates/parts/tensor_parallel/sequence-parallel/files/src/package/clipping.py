"""Clipping of gradients that are spread over a mesh of several dimensions."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.distributed.tensor import DTensor

from .ranks import sum_over_ranks


def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    """Scale all gradients by one factor, to a norm of at most ``max_norm``.

    Returns the norm before (0-d, float32), the same on each rank. It takes one reduction over all
    ranks, where torch's ``clip_grad_norm_`` reduces over one dimension of the mesh after the other.
    """
    parameters = list(parameters)
    squares = torch.stack([_own_square(p.grad) for p in parameters if p.grad is not None])
    norm = sum_over_ranks(squares.sum()).sqrt()
    nn.utils.clip_grads_with_norm_(parameters, max_norm, norm)
    return norm


def _own_square(gradient: Tensor) -> Tensor:
    """The share of this rank in the squared norm: what several ranks have counts once."""
    assert isinstance(gradient, DTensor)
    copies = 1
    for dimension, placement in enumerate(gradient.placements):
        if placement.is_replicate():
            copies *= gradient.device_mesh.size(dimension)
    return gradient.to_local().float().square().sum() / copies
