"""YaRN: scaling of the rotary angles by how often a pair turns (https://arxiv.org/abs/2309.00071)."""

import math

import torch
from torch import Tensor

FACTOR = {{design.rope_scaling.rope_factor}}  # how much longer the context is
ORIGINAL_MAX_SEQ_LEN = {{design.rope_scaling.original_max_seq_len}}  # tokens
BETA_FAST = {{design.rope_scaling.beta_fast}}  # turns; faster pairs are left alone
BETA_SLOW = {{design.rope_scaling.beta_slow}}  # turns; slower pairs take all of FACTOR
MSCALE_ALL_DIM = {{design.rope_scaling.mscale_all_dim}}  # how much the scores are sharpened
# Sharpens the scores, which flatten as there are more of them: the paper's section 3.4. There the
# table of angles scales queries and keys, hence the square; but most features are not rotated here
# (DeepSeek-V2, https://arxiv.org/abs/2405.04434, section 3.1.4).
SCORE_FACTOR = (0.1 * MSCALE_ALL_DIM * math.log(FACTOR) + 1.0) ** 2


def scaled(frequencies: Tensor, theta: float) -> Tensor:
    """Fast pairs turn as before, slow ones more slowly by FACTOR, those between are blended."""
    n_pairs = len(frequencies)

    def pair_that_turns(times: float) -> float:
        tokens_per_radian = ORIGINAL_MAX_SEQ_LEN / (times * 2 * math.pi)
        return n_pairs * math.log(tokens_per_radian) / math.log(theta)

    first = max(0, math.floor(pair_that_turns(BETA_FAST)))
    last = min(2 * n_pairs - 1, math.ceil(pair_that_turns(BETA_SLOW)))
    pairs = torch.arange(n_pairs, dtype=torch.float64)
    slow = ((pairs - first) / max(last - first, 0.001)).clamp(0, 1)
    return frequencies * (1 - slow + slow / FACTOR)
