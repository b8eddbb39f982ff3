"""All of a step is on this rank."""

import torch

from .parallel import before_backward
from .ranks import sum_over_ranks, world_size
from .shards import whole


def train_step(model, batches, targets):
    # {% macro gradients() %}
    loss = torch.zeros((), device=targets.device)
    for batch in batches:
        before_backward(model, is_last=batch is batches[-1])
        # {% print precision.accumulate() %}
        loss += micro_loss.detach()
    # {% endmacro %}
    # {% macro clipped() %}
    # {% print tensor_parallel.clip() %}
    loss, norm = sum_over_ranks(loss) / world_size(), whole(norm).to(loss.device)
    # {% endmacro %}
    return loss, norm
