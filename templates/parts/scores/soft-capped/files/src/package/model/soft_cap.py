"""Attention with bounded scores, as in Gemma 2 (https://arxiv.org/abs/2408.00118, section 2).

Shapes: B batch, T queries, S keys, N heads, M key and value heads, H head width.
"""

import math
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor


def soft_capped(scores: Tensor, cap: float) -> Tensor:
    """Scores between -cap and cap; those far from both hardly change."""
    return cap * torch.tanh(scores / cap)


def capped_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, cap: float) -> Tensor:
    """Heads (B, N, T, H) of queries (B, N, T, H), and keys and values (B, M, S, H); M divides N.

    A query looks where the mask, (T, S) or (B, 1, T, S), is true, or without one at its own token
    and all before it. Written out, with all scores in memory, since scaled_dot_product_attention
    has no cap, and FlexAttention, which can have one, no backward pass on the CPU and on MPS (torch
    2.13). Scores are in float32 at least, which autocast would not leave them in.
    """
    if mask is None:
        mask = torch.ones(q.size(2), k.size(2), dtype=torch.bool, device=q.device).tril()
    k, v = (heads.repeat_interleave(q.size(1) // k.size(1), dim=1) for heads in (k, v))
    exact = torch.promote_types(q.dtype, torch.float32)
    with _no_autocast(q.device):
        scores = q.to(exact) @ k.to(exact).mT / math.sqrt(q.size(-1))
        scores = soft_capped(scores, cap).masked_fill(~mask, -torch.inf)
        return torch.softmax(scores, dim=-1).type_as(v) @ v


def _no_autocast(device: torch.device) -> AbstractContextManager[None]:
    """Switch autocast off where there is one; the meta device has none."""
    if torch.amp.is_autocast_available(device.type):
        return torch.autocast(device.type, enabled=False)
    return nullcontext()
