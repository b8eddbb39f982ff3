"""Gradients are averaged over the ranks, in the backward pass of the last micro-batch."""

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
    for batch in batches:
        # {% macro before_forward() %}
        # Set before the forward pass, which decides whether the backward pass reduces.
        model.require_backward_grad_sync = batch is batches[-1]
        # {% endmacro %}
    # {% macro clip() %}
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
    loss = sum_over_ranks(loss) / world_size()
    # {% endmacro %}
    return loss, targets
