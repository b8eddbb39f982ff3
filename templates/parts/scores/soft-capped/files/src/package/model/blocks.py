"""Attention to the blocks of tokens that anyone in them sees (FlexAttention, arXiv:2412.05496).

Shapes: B batch, T tokens, N heads, M key and value heads, H head width.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from .cache import LayerCache
from .soft_cap import soft_capped

# Whether a token (of row, head, place) may look at the one at another place.
Visibility = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


# {# Slot: visibility may define more of them. #}
@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as one kernel, made when it is first called; else all scores were in memory."""
    return torch.compile(function, dynamic=False)


def in_window(window: int) -> Visibility:
    """A token sees itself and the ``window - 1`` tokens before it."""

    def is_visible(_row: Tensor, _head: Tensor, place: Tensor, other: Tensor) -> Tensor:
        distance = place - other
        return (distance >= 0) & (distance < window)

    return is_visible


# {% print each.visibility() %}
class BlockLayer(LayerCache):
    """In place of the cache of one layer: no tokens, and which blocks of a row see one another."""

    def __init__(
        self, is_visible: Visibility, n_rows: int | None, n_tokens: int, device: torch.device
    ) -> None:
        """Without a number of rows all are alike."""
        self.length = 0  # rotations count from the start of the row: only distances matter
        make_mask, self.kernel = compiled(create_block_mask), compiled(flex_attention)
        self.block_mask = make_mask(is_visible, n_rows, None, n_tokens, n_tokens, device=device)

    def extend(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Keys and values (B, M, T, H) as they are, and an empty mask: the blocks are one."""
        return k, v, torch.empty(0, dtype=torch.bool, device=k.device)

    def attend(self, q: Tensor, k: Tensor, v: Tensor, cap: float) -> Tensor:
        """Heads (B, N, T, H) of as many queries, and k and v (B, M, T, H); scores are bounded."""

        def bounded(
            score: Tensor, _row: Tensor, _head: Tensor, _place: Tensor, _other: Tensor
        ) -> Tensor:
            return soft_capped(score, cap)

        # Norms of queries and keys may have left the type that autocast has chosen.
        q, k = q.type_as(v), k.type_as(v)
        heads: Tensor = self.kernel(
            q, k, v, score_mod=bounded, block_mask=self.block_mask, enable_gqa=True
        )
        return heads
