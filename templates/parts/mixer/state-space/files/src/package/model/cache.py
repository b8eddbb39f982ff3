"""What is kept of the tokens seen so far, so that generation computes each of them once."""

import torch

from .hyperparameters import ModelConfig
from .mamba_cache import MambaCache


class Cache:
    """The caches of all layers, which have seen the same tokens; their memory does not grow."""

    def __init__(
        self, config: ModelConfig, batch_size: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        self.layers = [
            MambaCache(config, batch_size, device, dtype) for _ in range(config.n_layers)
        ]

    @property
    def length(self) -> int:
        """Tokens seen so far."""
        return self.layers[0].length
