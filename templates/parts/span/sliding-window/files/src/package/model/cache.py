"""Keys and values of the last tokens, so that generation computes each of them once.

Shapes: B batch, T new tokens, S tokens that are looked at, N key and value heads, H head width.
"""

import torch
from torch import Tensor

from .hyperparameters import ModelConfig
from .window import window_mask


# {# Slots: cache_heads reads config, binds n_heads; cache_values reads config, shape, device and
#    dtype, binds self.values; init_layers is the constructor of Cache. #}
class LayerCache:
    """Keys and values of one layer, for the ``window - 1`` tokens that the next one can see.

    Memory does not grow with the text: what no later token can look at is dropped.
    """

    def __init__(
        self, config: ModelConfig, batch_size: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        self.window = config.window
        # {% print attention.cache_heads() %}
        shape = (batch_size, n_heads, 0, config.head_dim)
        self.keys = torch.empty(shape, device=device, dtype=dtype)
        # {% print attention.cache_values() %}
        self.length = 0  # tokens seen, those that were dropped too

    def extend(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Add keys and values (B, N, T, H) of new tokens.

        Returns those that any new token can see (B, N, S, H), and a mask (T, S) that is true where
        one may look: at itself and at the ``window - 1`` tokens before it.
        """
        keys = torch.cat((self.keys, k), dim=2)
        values = torch.cat((self.values, v), dim=2)
        mask = window_mask(k.size(2), keys.size(2), self.window, k.device)
        # Copies, because a view would hold on to the memory of all keys, of a long prompt for one.
        dropped = max(0, keys.size(2) - (self.window - 1))
        self.keys, self.values = keys[:, :, dropped:].clone(), values[:, :, dropped:].clone()
        self.length += k.size(2)
        return keys, values, mask


class Cache:
    """The caches of all layers, which have seen the same tokens."""

    # {% print mixer.init_layers() %}
    @property
    def length(self) -> int:
        """Tokens seen so far."""
        return self.layers[0].length
