"""Scaling of rotary angles by wave length, as in Llama 3.1 (https://arxiv.org/abs/2407.21783)."""

import math

from torch import Tensor

FACTOR = {{design.rope_scaling.rope_factor}}  # how much longer the context is
ORIGINAL_MAX_SEQ_LEN = {{design.rope_scaling.original_max_seq_len}}  # tokens
LOW_FREQ_FACTOR = {{design.rope_scaling.low_freq_factor}}  # turns; slower pairs take all
HIGH_FREQ_FACTOR = {{design.rope_scaling.high_freq_factor}}  # turns; faster ones stay


def scaled(frequencies: Tensor) -> Tensor:
    """Short waves turn as before, long ones more slowly by FACTOR, those between are blended."""
    turns = ORIGINAL_MAX_SEQ_LEN * frequencies / (2 * math.pi)  # within the original context
    fast = ((turns - LOW_FREQ_FACTOR) / (HIGH_FREQ_FACTOR - LOW_FREQ_FACTOR)).clamp(0, 1)
    return frequencies * (fast + (1 - fast) / FACTOR)
