"""Layers that keep their input for the backward pass, which computes the rest again.

Activation checkpointing, https://arxiv.org/abs/1604.06174.
"""

from functools import partial

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


# {# Slots: uncounted is a function for contexts; contexts is a keyword argument of checkpoint and
#    reads layer. #}
# {% print each.uncounted() %}
def recompute_layers(layers: nn.ModuleList) -> None:
    """Let each layer keep its input and nothing else while gradients are recorded.

    What a layer gives and the gradients stay the same, bit for bit. So do the names of the weights:
    the layers are not wrapped in other modules, only their ``forward`` is.
    """
    for layer in layers:
        layer.forward = partial(_recomputed, layer)


def _recomputed(layer: nn.Module, *inputs: object) -> Tensor:
    """What the layer gives; a function of this file, since compilers pass over those of torch."""
    out: Tensor = checkpoint(
        type(layer).forward,
        layer,
        *inputs,
        use_reentrant=False,
        # {% print each.contexts() %}
    )
    return out
