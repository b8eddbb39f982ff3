"""The last tokens in most layers, all in some."""

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention.bias import causal_lower_right

from .window import window_mask


# {% macro biases() %}
lower_right: Callable[[int, int], Tensor] = causal_lower_right  # which has no types of its own


# {% endmacro %}
class ContextLayer:
    def __init__(
        self,
        # {% macro parameter() %}
        window: int,
        # {% endmacro %}
    ):
        # {% macro bind() %}
        self.window = window
        # {% endmacro %}

    def _attend(self, q, k, v):
        # {% macro attend() %}
        if q.is_cuda and self.window >= k.size(2):
            mask = lower_right(q.size(2), k.size(2))  # FlashAttention takes it without a tensor
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
        # What no query sees is left out: it is the most of long rows.
        first = max(0, k.size(2) - q.size(2) - self.window + 1)
        k, v = k[:, :, first:], v[:, :, first:]
        mask = window_mask(q.size(2), k.size(2), self.window, q.device)
        # Of CUDA's fast kernels, those that take a mask need as many of these as query heads.
        k, v = (heads.repeat_interleave(q.size(1) // k.size(1), dim=1) for heads in (k, v))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        # {% endmacro %}


class ContextRows:
    def __init__(self, config, mesh, layers):
        # {% macro layers() %}
        windows = [
            config.max_seq_len if config.is_global(layer) else config.window for layer in layers
        ]
        self.layers: list[LayerCache] = [ContextLayer(mesh, window) for window in windows]
        # {% endmacro %}
