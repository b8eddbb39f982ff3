"""The loss of logits of which each device has some of the vocabulary.

Shapes: B batch, T tokens, V vocabulary, N = B x T targets.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.distributed.tensor import DTensor, Partial
from torch.distributed.tensor.placement_types import Placement


# {# Slots: field is one more of the terms; sums reads own, adds to sums; minimized is a function. #}
class SoftmaxTerms(NamedTuple):
    """What a loss needs of the logits of each target (N,), float32, the same on each device."""

    log_z: Tensor  # the logarithm of the softmax's normalizer
    target_logits: Tensor  # 0 where a target does not count
    # {% print loss.field() %}


def softmax_terms(logits: DTensor, targets: Tensor) -> SoftmaxTerms:
    """The terms of logits (B, T, V), of which each device has an equal share of V, for (B, T).

    A few numbers of each target go from device to device, and not its V logits (Megatron-LM,
    section 3, https://arxiv.org/abs/1909.08053). torch's ``loss_parallel`` does so, too, but it
    must last until the backward pass has ended, and it has no loss but the plain cross-entropy.
    """
    mesh = logits.device_mesh

    def over_devices(value: Tensor, how: Placement) -> Tensor:
        return DTensor.from_local(value, mesh, [how], run_check=False).full_tensor()

    own = logits.to_local().flatten(0, 1).float()
    targets = targets.flatten() - mesh.get_local_rank() * own.size(1)
    is_own = (targets >= 0) & (targets < own.size(1))
    picked = own.gather(1, targets.where(is_own, 0)[:, None]).squeeze(1)
    # Any number in place of the maximum gives the same sum; it only keeps exp from overflowing.
    largest = over_devices(own.detach().amax(dim=1), Partial("max"))
    sums = [(own - largest[:, None]).exp().sum(dim=1), picked.where(is_own, 0.0)]
    # {% print loss.sums() %}
    normalizer, *others = over_devices(torch.stack(sums), Partial()).unbind()
    return SoftmaxTerms(largest + normalizer.log(), *others)


# {% print loss.minimized() %}
def sharded_cross_entropy(logits: DTensor, targets: Tensor) -> Tensor:
    """In nats, summed over the targets (0-d, float32); negative ones do not count."""
    terms = softmax_terms(logits, targets)
    return (terms.log_z - terms.target_logits).masked_fill(targets.flatten() < 0, 0.0).sum()
