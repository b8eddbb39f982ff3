"""One latent vector and one rotated key for each token."""

import torch


class LayerCache:
    def __init__(self, config, shape, device, dtype):
        # {% macro cache_heads() %}
        n_heads = 1  # what is rotated of a key is the same for all heads
        # {% endmacro %}
        self.n_heads = n_heads
        # {% macro cache_values() %}
        # In place of values the latent vectors, from which all values and the other features of the
        # keys are made: that is what makes the cache small.
        shape = (*shape[:-1], config.kv_lora_rank)
        self.values = torch.empty(shape, device=device, dtype=dtype)
        # {% endmacro %}
