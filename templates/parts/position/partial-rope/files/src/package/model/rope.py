"""Rotary position embedding of a part of each head (https://arxiv.org/abs/2204.06745).

Shapes: B batch, T tokens, N heads, H head width, R features of a head that turn.
"""

from collections.abc import Callable
from typing import Self

import torch
from torch import Tensor, nn


# {# Slot: table reads self.theta, exponents and positions, returns the table. #}
class PartialRotaryEmbedding(nn.Module):
    """Turns the features i and i + R/2 of a head, as a pair, by position / theta^(2i/R) radians.

    The first R features are the ``fraction`` that turns, rounded down to whole pairs; the others
    stay as they are. The inner product of a query and a key then depends on how far apart they are,
    not on where.
    """

    def __init__(self, head_dim: int, fraction: float, max_seq_len: int, theta: float) -> None:
        super().__init__()
        self.rotary_dim = max(2, int(head_dim * fraction) // 2 * 2)  # whole pairs
        self.rest_dim = head_dim - self.rotary_dim
        self.max_seq_len = max_seq_len
        self.theta = theta
        self.table: Tensor
        self.register_buffer("table", self._make_table(), persistent=False)

    def forward(self, x: Tensor, start: int) -> Tensor:
        """Turn x (B, T, N, H), whose first token is at position ``start``; computed in float32."""
        cos, sin = self.table[:, start : start + x.size(1), None]
        turning, rest = x.split((self.rotary_dim, self.rest_dim), dim=-1)
        a, b = turning.chunk(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin, rest), dim=-1).type_as(x)

    def _make_table(self) -> Tensor:
        """Cosines and sines, (2, max_seq_len, R/2) float32, of angles in float64."""
        exponents = torch.arange(0, self.rotary_dim, 2, dtype=torch.float64) / self.rotary_dim
        positions = torch.arange(self.max_seq_len, dtype=torch.float64)
        # {% print rope_scaling.table() %}

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Follow the model to another device, but not to another type.

        In bfloat16 the positions above 256 could not be told apart.
        """
        apply: Callable[..., Self] = super()._apply  # which has no types of its own
        apply(fn, recurse)
        self.table = self._make_table().to(self.table.device)
        return self
