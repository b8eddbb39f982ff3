"""All targets of a step are on this device."""

import torch
from torch import nn


def train_step(state):
    # {% macro model() %}
    model = state.model
    # {% endmacro %}
    # {% macro targets() %}
    # {% endmacro %}
    # {% macro gradients() %}
    loss = torch.zeros((), device=targets.device)
    for batch in batches:
        # {% print precision.accumulate() %}
        loss += micro_loss.detach()
    # {% endmacro %}
    # {% macro clipped() %}
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
    # {% endmacro %}
    return model
