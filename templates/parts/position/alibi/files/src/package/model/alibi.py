"""Attention with linear biases (ALiBi, https://arxiv.org/abs/2108.12409).

Shapes: B batch, T queries, S keys, N heads, H head width.
"""

from collections.abc import Callable
from typing import Self

import torch
from torch import Tensor, nn


class LinearBiases(nn.Module):
    """Lowers the score of a query and a key by their distance, times the slope of the head."""

    def __init__(self, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.slopes: Tensor
        self.register_buffer("slopes", self._make_slopes(), persistent=False)

    def forward(self, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
        """What is added to the scores, (N, T, S): the biases, and -inf where none may look.

        The queries q (B, N, T, H) are the last of the tokens of k (B, N, S, H). They see what the
        mask (T, S) allows, or without one all tokens before them and themselves.
        """
        positions = torch.arange(k.size(2), device=k.device)
        distance = positions[k.size(2) - q.size(2) :, None] - positions
        allowed = distance >= 0 if mask is None else mask
        biases = -self.slopes[:, None, None] * distance
        return biases.masked_fill(~allowed, -torch.inf).type_as(q)

    def _make_slopes(self) -> Tensor:
        """Slopes (N,) float32: 2^-(8/N), 2^-(16/N), ..., 2^-8 where N is a power of two.

        For any other N those of the next lower power, then every second one of the next higher
        (https://github.com/ofirpress/attention_with_linear_biases).
        """
        lower = 1 << (self.n_heads.bit_length() - 1)
        exponents = [8 / lower * (i + 1) for i in range(lower)]
        exponents += [4 / lower * (2 * i + 1) for i in range(self.n_heads - lower)]
        return torch.exp2(-torch.tensor(exponents, dtype=torch.float64)).float()

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Follow the model to another device, but not to another type, which rounds the slopes."""
        apply: Callable[..., Self] = super()._apply  # which has no types of its own
        apply(fn, recurse)
        self.slopes = self._make_slopes().to(self.slopes.device)
        return self
