"""All gradients are spread alike."""

from .ranks import sum_over_ranks, world_size
from .shards import whole


def train_step(loss, norm):
    # {% macro clip() %}
    # {% print tensor_parallel.clipping() %}
    loss, norm = sum_over_ranks(loss) / world_size(), whole(norm).to(loss.device)
    # {% endmacro %}
    return loss, norm
