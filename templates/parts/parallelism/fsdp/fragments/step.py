"""Gradients are averaged over the ranks and split among them in each backward pass."""

from .parallel import before_backward
from .ranks import sum_over_ranks, world_size


def train_step(state, batches, targets):
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
    return model, targets
