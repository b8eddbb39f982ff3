"""Rotary position embedding for a grid of patches (https://arxiv.org/abs/2403.13298).

Shapes: B batch, T patches in rows, N heads, H head width.
"""

from collections.abc import Callable
from typing import Self

import torch
from torch import Tensor, nn

# Far smaller than for text, since a grid has few rows; the value of the paper, section 3.2.
THETA = 100.0


class AxialRotaryEmbedding(nn.Module):
    """Turns the features i and i + H/2 of a head, as a pair; half of the pairs turn with the row.

    The other half turn with the column, so that the inner product of a query and a key depends on
    how far apart they are in both directions. Raises ``ValueError`` if pairs cannot be halved.
    """

    def __init__(self, head_dim: int, grid_size: int) -> None:
        super().__init__()
        if head_dim % 4 != 0:
            raise ValueError(
                f"head_dim = {head_dim}: must be a multiple of 4, since half of the pairs of"
                " features turn with the row and half with the column"
            )
        self.head_dim = head_dim
        self.grid_size = grid_size
        self.table: Tensor
        self.register_buffer("table", self._make_table(), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Turn x (B, T, N, H); computed in float32."""
        cos, sin = self.table[:, :, None]
        a, b = x.chunk(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).type_as(x)

    def _make_table(self) -> Tensor:
        """Cosines and sines, (2, T, H/2) float32, of angles in float64."""
        exponents = torch.arange(0, self.head_dim, 4, dtype=torch.float64) / self.head_dim
        patches = torch.arange(self.grid_size**2, dtype=torch.float64)
        rows, columns = patches // self.grid_size, patches % self.grid_size
        turns = THETA**-exponents
        angles = torch.cat((torch.outer(rows, turns), torch.outer(columns, turns)), dim=1)
        return torch.stack((angles.cos(), angles.sin())).float()

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Follow the model to another device, but not to another type: angles need float32."""
        apply: Callable[..., Self] = super()._apply  # which has no types of its own
        apply(fn, recurse)
        self.table = self._make_table().to(self.table.device)
        return self
