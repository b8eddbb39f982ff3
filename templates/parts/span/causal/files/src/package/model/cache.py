"""Keys and values of the tokens seen so far, so that generation computes each of them once.

Shapes: B batch, T new tokens, S tokens that are looked at, N key and value heads, H head width.
"""

import torch
from torch import Tensor

from .hyperparameters import ModelConfig


# {# Slots: cache_heads reads config, binds n_heads; cache_values reads config, shape, device and
#    dtype, binds self.values; init_layers is the constructor of Cache. #}
class LayerCache:
    """Keys and values of one layer, in memory that is taken once, for ``max_seq_len`` tokens."""

    def __init__(
        self, config: ModelConfig, batch_size: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        # {% print attention.cache_heads() %}
        shape = (batch_size, n_heads, config.max_seq_len, config.head_dim)
        self.keys = torch.empty(shape, device=device, dtype=dtype)
        # {% print attention.cache_values() %}
        self.length = 0  # tokens seen

    def extend(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Add keys and values (B, N, T, H) of new tokens.

        Returns those of all tokens (B, N, S, H), and a mask (T, S) that is true where a new token
        may look: at itself and at all tokens before it.
        """
        start, end = self.length, self.length + k.size(2)
        self.keys[:, :, start:end] = k
        self.values[:, :, start:end] = v
        self.length = end
        mask = torch.ones(end - start, end, dtype=torch.bool, device=k.device).tril(start)
        return self.keys[:, :, :end], self.values[:, :, :end], mask


class Cache:
    """The caches of all layers, which have seen the same tokens."""

    # {% print mixer.init_layers() %}
    @property
    def length(self) -> int:
        """Tokens seen so far."""
        return self.layers[0].length
