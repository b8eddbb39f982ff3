"""Gradients are averaged over the ranks and split among them in each backward pass."""

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
    return model, batches, targets
