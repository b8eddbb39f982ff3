"""Gradients are averaged over the ranks, in the backward pass of the last micro-batch."""

import torch
from torch import nn

from .ranks import sum_over_ranks, world_size


def train_step(state, batches, targets, loss):
    # {% macro model() %}
    model = state.replica
    # {% endmacro %}
    # {% macro targets() %}
    # Targets of all ranks over the number of ranks, since the replicas average their gradients.
    targets = sum_over_ranks(targets) / world_size()
    # {% endmacro %}
    # {% macro gradients() %}
    loss = torch.zeros((), device=targets.device)
    for batch in batches:
        # Set before the forward pass, which decides whether the backward pass reduces.
        model.require_backward_grad_sync = batch is batches[-1]
        # {% print precision.accumulate() %}
        loss += micro_loss.detach()
    # {% endmacro %}
    # {% macro clipped() %}
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
    loss = sum_over_ranks(loss) / world_size()
    # {% endmacro %}
    return loss, targets
