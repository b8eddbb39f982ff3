"""Layers that keep what is dear to compute; the backward pass computes the rest again.

Selective activation checkpointing, as https://arxiv.org/abs/2205.05198 proposes: what is kept are
the results of products with weights and of attention, which are nearly all of the work.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    checkpoint,
    create_selective_checkpoint_contexts,
)

Contexts = Callable[[], tuple[AbstractContextManager[object], AbstractContextManager[object]]]
aten = torch.ops.aten
# Batched products are not among them: in attention without a kernel of its own their results are as
# large as all pairs of tokens.
KEPT = {
    aten.mm.default,
    aten.addmm.default,
    aten.linear.default,  # which is one operation on MPS
    aten._grouped_mm.default,
    aten._scaled_dot_product_flash_attention.default,
    aten._scaled_dot_product_flash_attention_for_cpu.default,
    aten._scaled_dot_product_efficient_attention.default,
    aten._scaled_dot_product_cudnn_attention.default,
    aten._scaled_dot_product_fused_attention_overrideable.default,
    torch.ops.higher_order.flex_attention,
}


# {# Slots: uncounted is a function for selected_contexts, which reads layer and rebinds contexts. #}
# {% print each.uncounted() %}
def recompute_layers(layers: nn.ModuleList) -> None:
    """Let each layer keep its input and the results of ``KEPT`` while gradients are recorded.

    What a layer gives and the gradients stay the same, bit for bit. So do the names of the weights:
    the layers are not wrapped in other modules, only their ``forward`` is.
    """
    for layer in layers:
        contexts: Contexts = partial(create_selective_checkpoint_contexts, _policy)
        # {% print each.selected_contexts() %}
        layer.forward = partial(_recomputed, layer, contexts)


def _recomputed(layer: nn.Module, contexts: Contexts, *inputs: object) -> Tensor:
    """What the layer gives; a function of this file, since compilers pass over those of torch."""
    out: Tensor = checkpoint(
        type(layer).forward, layer, *inputs, use_reentrant=False, context_fn=contexts
    )
    return out


def _policy(
    _context: SelectiveCheckpointContext, operation: object, *_inputs: object, **_options: object
) -> CheckpointPolicy:
    kept = operation in KEPT
    return CheckpointPolicy.MUST_SAVE if kept else CheckpointPolicy.PREFER_RECOMPUTE
