"""Fewer key and value heads than query heads."""

import torch


class LayerCache:
    def __init__(self, config, shape, device, dtype):
        # {% macro cache_heads() %}
        n_heads = config.n_kv_heads
        # {% endmacro %}
        self.n_heads = n_heads
        # {% macro cache_values() %}
        self.values = torch.empty(shape, device=device, dtype=dtype)
        # {% endmacro %}
