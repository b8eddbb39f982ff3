"""Rows of one text each, of which the layers see blocks."""

from functools import lru_cache

import torch

from .blocks import BlockLayer
from .cache import Cache
from .hyperparameters import ModelConfig


# {# Slot: windows reads config and n_tokens, binds windows, of each layer. #}
class BlockRows(Cache):
    """In place of a cache: rows of ``n_tokens``, which all see alike."""

    def __init__(self, config: ModelConfig, n_tokens: int, device: torch.device) -> None:
        # {% print span.windows() %}
        layers = {window: BlockLayer(window, n_tokens, device) for window in set(windows)}
        self.layers = [layers[window] for window in windows]


@lru_cache(maxsize=8)
def block_rows(config: ModelConfig, n_tokens: int, device: torch.device) -> BlockRows:
    """The rows, made once for each length: what sees what does not depend on the texts."""
    return BlockRows(config, n_tokens, device)
