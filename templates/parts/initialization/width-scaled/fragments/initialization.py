"""As large as the width allows."""

import math

import torch
from torch import nn


def init_weights(model, config, generator):
    """Draw every weight.

    =====================  ===========================================
    # {% macro table() %}
    wo and w2              normal, std 1 / sqrt(2 x layer x inputs)
    embeddings             normal, std 1 / sqrt(dim)
    every other matrix     normal, std 1 / sqrt(inputs)
    norms                  1
    =====================  ===========================================

    A matrix so keeps the size of what it reads, and ``wo`` and ``w2`` of layer 1, 2, ... add
    ever less to the residual stream. No value is farther than 3 std from 0.
    # {% endmacro %}
    """
    for name, weight in model.named_parameters():
        # {% macro init() %}
        if weight.ndim == 1:
            weight.fill_(1.0)
            continue
        # As in https://github.com/allenai/OLMo/blob/main/olmo/model.py ("mitchell").
        # An embedding reads a number: what counts is how many features it makes of it.
        std = 1 / math.sqrt(config.dim if "embeddings" in name else weight.size(1))
        if name.endswith(("wo.weight", "w2.weight")):
            layer = 1 + int(name.split(".")[1])  # of layers.0.attention.wo.weight
            std /= math.sqrt(2 * layer)
        drawn = torch.empty(weight.shape, device="cpu")
        nn.init.trunc_normal_(drawn, std=std, a=-3 * std, b=3 * std, generator=generator)
        # {% endmacro %}
        weight.copy_(drawn)
