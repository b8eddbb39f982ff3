"""Rotary position embedding (RoFormer, https://arxiv.org/abs/2104.09864).

Shapes: B batch, T tokens, N heads, H head width.
"""

from collections.abc import Callable
from typing import Self

import torch
from torch import Tensor, nn


# {# Slot: table reads self.theta, exponents and positions, returns the table. #}
class RotaryEmbedding(nn.Module):
    """Turns the features i and i + H/2 of a head, as a pair, by position / theta^(2i/H) radians.

    The inner product of a query and a key then depends on how far apart they are, not on where.
    Raises ``ValueError`` if the head width is odd.
    """

    def __init__(self, head_dim: int, max_seq_len: int, theta: float) -> None:
        super().__init__()
        if head_dim % 2 != 0:
            raise ValueError(f"head_dim = {head_dim}: must be even, since features turn in pairs")
        self.head_dim = head_dim
        self.max_seq_len = max_seq_len
        self.theta = theta
        self.table: Tensor
        self.register_buffer("table", self._make_table(), persistent=False)

    def forward(self, x: Tensor, start: int) -> Tensor:
        """Turn x (B, T, N, H), whose first token is at position ``start``; computed in float32."""
        cos, sin = self.table[:, start : start + x.size(1), None]
        a, b = x.chunk(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).type_as(x)

    def _make_table(self) -> Tensor:
        """Cosines and sines, (2, max_seq_len, H/2) float32, of angles in float64."""
        exponents = torch.arange(0, self.head_dim, 2, dtype=torch.float64) / self.head_dim
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
