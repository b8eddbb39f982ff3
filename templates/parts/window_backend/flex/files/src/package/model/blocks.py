"""Attention to the blocks of tokens that anyone in them sees (FlexAttention, arXiv:2412.05496).

Shapes: B batch, T tokens, N heads, H head width.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import create_block_mask, create_mask, flex_attention

from .cache import LayerCache


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as one kernel, made when it is first called; else all scores were in memory."""
    return torch.compile(function, dynamic=False)


def in_window(window: int) -> Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]:
    """Whether a token (of row, head, place) may look at the one at another place.

    It sees itself and the ``window - 1`` tokens before it.
    """

    def is_visible(_row: Tensor, _head: Tensor, place: Tensor, other: Tensor) -> Tensor:
        distance = place - other
        return (distance >= 0) & (distance < window)

    return is_visible


class BlockLayer(LayerCache):
    """In place of the cache of one layer: no tokens, and which blocks of a row see one another."""

    def __init__(self, window: int, n_tokens: int, device: torch.device) -> None:
        self.length = 0  # the tokens are the first
        self.is_visible = in_window(window)
        self.shape = (None, None, n_tokens, n_tokens)  # alike for all rows and heads
        make_mask, self.kernel = compiled(create_block_mask), compiled(flex_attention)
        self.block_mask = make_mask(self.is_visible, *self.shape, device=device)

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Heads (B, T, N, H) of queries, keys and values of such shapes; k and v may have fewer."""
        # Norms of queries and keys may have left the type that autocast has chosen.
        q, k, v = (heads.transpose(1, 2) for heads in (q.type_as(v), k.type_as(v), v))
        heads: Tensor = self.kernel(q, k, v, block_mask=self.block_mask, enable_gqa=True)
        return heads.transpose(1, 2)

    def extend(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Keys and values (B, N, T, H) as they are, and a mask (1, 1, T, T) of the same pairs."""
        return k, v, create_mask(self.is_visible, *self.shape, device=k.device)
