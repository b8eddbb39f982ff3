"""How new weights are drawn."""

import torch
from torch import nn

from .hyperparameters import ModelConfig


# {# Slots: table ends the docstring; init reads config, generator, name and weight, fills weight and
#    goes on, or binds drawn; init_buffers reads model. #}
@torch.no_grad()
def init_weights(model: nn.Module, config: ModelConfig, seed: int) -> None:
    """Draw every weight anew; a seed gives the same values on every device.

    =====================  ===========================================
    # {% print each.table() %}
    """
    generator = torch.Generator().manual_seed(seed)
    for name, weight in model.named_parameters():
        # {% print each.init() %}
        weight.copy_(drawn)
    # {% print each.init_buffers() %}
