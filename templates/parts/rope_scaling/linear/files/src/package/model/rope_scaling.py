"""Linear scaling of the rotary angles (https://arxiv.org/abs/2306.15595)."""

from torch import Tensor

FACTOR = {{design.rope_scaling.rope_factor}}  # how much longer the context is


def scaled(frequencies: Tensor) -> Tensor:
    """Every pair turns more slowly, so that the last token turns no further than it did before."""
    return frequencies / FACTOR
