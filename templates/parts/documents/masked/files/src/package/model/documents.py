"""Rows of several documents, which do not see one another.

Shapes: B batch, T tokens, N heads, H head width.
"""

import torch
from torch import Tensor

from .cache import Cache, LayerCache
from .hyperparameters import ModelConfig


# {# Slot: windows reads config and n_tokens, binds windows. #}
def positions_in_documents(tokens: Tensor, end_of_text: int) -> Tensor:
    """How many tokens of its document stand before each one in its row of ``tokens`` (B, T).

    An end of text is the last token of its document. A row starts anew as well, even if it is in
    the middle of a document.
    """
    places = torch.arange(tokens.size(1), device=tokens.device)
    is_first = torch.ones_like(tokens, dtype=torch.bool)
    is_first[:, 1:] = tokens[:, :-1] == end_of_text
    return places - (places * is_first).cummax(dim=1).values


def document_mask(positions: Tensor, window: int) -> Tensor:
    """A mask (B, 1, T, T), true where a token may look at another.

    It sees itself and the ``window - 1`` tokens before it, but none before the start of its
    document, which is ``positions`` (B, T) tokens away.
    """
    places = torch.arange(positions.size(1), device=positions.device)
    distance = places[:, None] - places
    in_window = (distance >= 0) & (distance < window)
    return (in_window & (distance <= positions[:, :, None]))[:, None]


class PackedLayer(LayerCache):
    """In place of the cache of one layer: no tokens, and a mask that keeps documents apart."""

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask
        # Positions of a rotation count from the start of the row: scores depend on distances only.
        self.length = 0

    def extend(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The keys and values (B, N, T, H) as they are, and the mask (B, 1, T, T)."""
        return k, v, self.mask


class PackedRows(Cache):
    """In place of a cache: rows of documents, given by the positions (B, T) of their tokens."""

    def __init__(self, config: ModelConfig, positions: Tensor) -> None:
        n_tokens = positions.size(1)
        # {% print span.windows() %}
        masks = {window: document_mask(positions, window) for window in set(windows)}
        self.layers = [PackedLayer(masks[window]) for window in windows]
