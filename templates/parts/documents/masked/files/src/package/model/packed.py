"""Rows of several documents, which do not see one another.

Shapes: B batch, T tokens, N heads, H head width.
"""

from torch import Tensor

from .cache import Cache, LayerCache
from .documents import document_mask
from .hyperparameters import ModelConfig


# {# Slots: windows reads config and positions, binds windows, of each layer; layers reads windows and
#    positions, binds layers, by their window. #}
class PackedLayer(LayerCache):
    """In place of the cache of one layer: no tokens, and a mask that keeps documents apart."""

    def __init__(self, positions: Tensor, window: int) -> None:
        self.mask = document_mask(positions, window)
        # Positions of a rotation count from the start of the row: scores depend on distances only.
        self.length = 0

    def extend(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The keys and values (B, N, T, H) as they are, and the mask (B, 1, T, T)."""
        return k, v, self.mask


class PackedRows(Cache):
    """In place of a cache: rows of documents, given by the positions (B, T) of their tokens."""

    def __init__(self, config: ModelConfig, positions: Tensor) -> None:
        # {% print span.windows() %}
        # {% print each.layers() %}
        self.layers = [layers[window] for window in windows]
