"""How new weights are drawn."""

import math

import torch
from torch import nn

from .hyperparameters import ModelConfig
from .mamba import Mamba2

INIT_STD = 0.02  # GPT-2, https://github.com/openai/gpt-2/blob/master/src/model.py


# {# Slots: table is a row of the docstring; init reads name, fills weight and goes on; init_buffers
#    reads model. #}
@torch.no_grad()
def init_weights(model: nn.Module, config: ModelConfig, seed: int) -> None:
    """Draw every weight anew; a seed gives the same values on every device.

    =====================  ===========================================
    embeddings             normal, std 0.02
    wo, w2 and out_proj    normal, std 0.02 / sqrt(2 n_layers)
    every other matrix     normal, std 0.02
    norms                  1
    # {% print projection_bias.table() %}
    other of Mamba-2       see ``Mamba2.init_weights``
    =====================  ===========================================

    ``wo``, ``w2`` and ``out_proj`` write into the residual stream: the 2 n_layers of them
    together add to it as much variance as one matrix without that factor (GPT-2, section 2.3).
    """
    generator = torch.Generator().manual_seed(seed)
    for name, weight in model.named_parameters():
        # {% print projection_bias.init() %}
        if weight.ndim == 1:
            weight.fill_(1.0)
            continue
        is_residual = name.endswith(("wo.weight", "w2.weight", "out_proj.weight"))
        std = INIT_STD / math.sqrt(2 * config.n_layers) if is_residual else INIT_STD
        drawn = torch.normal(0.0, std, weight.shape, generator=generator, device="cpu")
        weight.copy_(drawn)
    for module in model.modules():
        if isinstance(module, Mamba2):
            module.init_weights(generator)
    # {% print each.init_buffers() %}
