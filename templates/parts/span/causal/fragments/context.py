"""All tokens before it."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention.bias import causal_lower_right


# {% macro biases() %}
lower_right: Callable[[int, int], Tensor] = causal_lower_right  # which has no types of its own


# {% endmacro %}
class ContextLayer:
    def __init__(
        self,
        # {% macro parameter() %}
        # {% endmacro %}
    ):
        # {% macro bind() %}
        # {% endmacro %}
        pass

    def _attend(self, q, k, v):
        # {% macro attend() %}
        n_queries, n_keys = q.size(2), k.size(2)
        if q.is_cuda:
            mask = lower_right(n_queries, n_keys)  # FlashAttention takes it without a tensor
        else:
            mask = torch.ones(n_queries, n_keys, dtype=torch.bool, device=q.device)
            mask = mask.tril(n_keys - n_queries)
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
        # {% endmacro %}


class ContextRows:
    def __init__(self, config, mesh, layers):
        # {% macro layers() %}
        self.layers = [ContextLayer(mesh) for _ in layers]
        # {% endmacro %}
