"""NTK-aware scaling of the rotary angles (https://arxiv.org/abs/2309.00071, section 3.1)."""

import torch
from torch import Tensor

FACTOR = {{design.rope_scaling.rope_factor}}  # how much longer the context is


def scaled(frequencies: Tensor) -> Tensor:
    """The first pair turns as before, the last more slowly by FACTOR, the others between.

    So would all with a base of the angles that is FACTOR^(H/(H - 2)) times as large.
    """
    return frequencies * FACTOR ** -torch.linspace(0, 1, len(frequencies), dtype=torch.float64)
