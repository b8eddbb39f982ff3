"""Rotary position embedding in a layer with a window (Gemma 3, https://arxiv.org/abs/2503.19786)."""

import torch
from torch import Tensor

from .rope import RotaryEmbedding


class LocalRotaryEmbedding(RotaryEmbedding):
    """Turns by the plain angles: no distance in a window grows with the length of the context."""

    def _make_table(self) -> Tensor:
        """Cosines and sines, (2, max_seq_len, H/2) float32, of angles in float64."""
        exponents = torch.arange(0, self.head_dim, 2, dtype=torch.float64) / self.head_dim
        positions = torch.arange(self.max_seq_len, dtype=torch.float64)
        angles = torch.outer(positions, self.theta**-exponents)
        return torch.stack((angles.cos(), angles.sin())).float()
