"""Forward in bfloat16."""

import torch

from .objective import summed_loss


def _forward(model, batch, targets):
    # {% macro compute() %}
    with torch.autocast(targets.device.type, dtype=torch.bfloat16):
        output = summed_loss(model, batch) / targets if model.is_last else model(batch.inputs)
    # {% endmacro %}
    return output
