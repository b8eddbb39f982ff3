"""All of a step is on this rank."""

import torch

from .parallel import before_backward


def train_step(model, batches, targets):
    # {% macro gradients() %}
    loss = torch.zeros((), device=targets.device)
    for batch in batches:
        before_backward(model, is_last=batch is batches[-1])
        # {% print precision.accumulate() %}
        loss += micro_loss.detach()
    # {% endmacro %}
    # {% macro clipped() %}
    # {% print expert_parallel.clip() %}
    # {% endmacro %}
    return loss, norm
