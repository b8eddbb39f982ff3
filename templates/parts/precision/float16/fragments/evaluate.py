"""Evaluation in the precision of training."""

import torch

from .objective import evaluate_batch


def evaluate(model, batches, device):
    with evaluation_mode(model):
        for batch in batches:
            # {% macro evaluate() %}
            with torch.autocast(device.type, dtype=torch.float16):
                sums = evaluate_batch(model, batch)
            # {% endmacro %}
            yield sums
