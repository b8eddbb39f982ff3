"""How new weights are drawn."""

import math

import torch
from torch import nn

from .hyperparameters import ModelConfig


@torch.no_grad()
def init_weights(model: nn.Module, config: ModelConfig, seed: int) -> None:
    """Draw every weight anew; a seed gives the same values on every device.

    =====================  ===========================================
    embeddings             normal, std 0.02
    wo and w2              normal, std 0.02 / sqrt(2 n_layers)
    every other matrix     normal, std 0.02
    norms                  1
    =====================  ===========================================

    ``wo`` and ``w2`` write into the residual stream: the 2 n_layers of them together add to it
    as much variance as one matrix without that factor (GPT-2, section 2.3).
    """
    generator = torch.Generator().manual_seed(seed)
    for name, weight in model.named_parameters():
        if weight.ndim == 1:
            weight.fill_(1.0)
            continue
        # As in https://github.com/openai/gpt-2/blob/master/src/model.py.
        is_residual = name.endswith(("wo.weight", "w2.weight"))
        std = 0.02 / math.sqrt(2 * config.n_layers) if is_residual else 0.02
        drawn = torch.normal(0.0, std, weight.shape, generator=generator, device="cpu")
        weight.copy_(drawn)
