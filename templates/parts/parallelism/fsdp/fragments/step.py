"""Gradients are averaged over the ranks and split among them in each backward pass."""

from .parallel import before_backward
from .ranks import sum_over_ranks, world_size
from .shards import whole


def train_step(state, batches, targets, loss, norm):
    # {% macro model() %}
    model = state.model
    # {% print each.own_tokens() %}
    # {% endmacro %}
    # {% macro targets() %}
    # Targets of all ranks over the number of ranks, since gradients are averaged over the ranks.
    targets = sum_over_ranks(targets) / world_size()
    # {% endmacro %}
    for batch in batches:
        # {% macro before_forward() %}
        before_backward(model, is_last=batch is batches[-1])
        # {% endmacro %}
    # {% macro clip() %}
    # {% print tensor_parallel.clip() %}
    loss, norm = sum_over_ranks(loss) / world_size(), whole(norm).to(loss.device)
    # {% endmacro %}
    return loss, norm, targets
