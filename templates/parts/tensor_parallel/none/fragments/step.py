"""Torch's clipping."""

from torch import nn


def train_step(model, max_grad_norm):
    # {% macro clipping() %}
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
    # {% endmacro %}
    return norm
