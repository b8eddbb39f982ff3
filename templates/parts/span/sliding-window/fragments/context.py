"""The last tokens."""

import torch.nn.functional as F

from .window import window_mask


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
        self.layers = [ContextLayer(mesh, config.window) for _ in layers]
        # {% endmacro %}
