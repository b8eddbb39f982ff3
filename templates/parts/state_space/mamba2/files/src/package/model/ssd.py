"""The recurrence of Mamba-2, as matrix products within chunks of tokens and a scan over the chunks.

State space duality (https://arxiv.org/abs/2405.21060, section 6), in plain tensor operations.

Shapes: B batch, T tokens, N heads, H head width, S state width, G groups of M heads, C chunks, L or
R tokens of a chunk.
"""

import torch
from torch import Tensor


def running_sums(values: Tensor, dim: int) -> Tensor:
    """Sums of ``values`` up to each place along a dimension, ``cumsum``.

    CUDA's kernel may add in another order each time: where deterministic algorithms are asked for,
    each pass adds what stands 1, 2, 4, ... places before (Hillis and Steele, 1986).
    """
    if not torch.are_deterministic_algorithms_enabled():
        return values.cumsum(dim)
    distance = 1
    while distance < values.size(dim):
        begin, rest = values.split((distance, values.size(dim) - distance), dim)
        before = values.narrow(dim, 0, values.size(dim) - distance)
        values = torch.cat((begin, rest + before), dim)
        distance *= 2
    return values


def segment_sums(steps: Tensor) -> Tensor:
    """Sums of ``steps`` (..., L) from after token r up to token l, as (..., L, R); -inf for r > l.

    Each is summed on its own: as the difference of two running sums, a small one would be lost in
    the rounding of the large ones.
    """
    length = steps.size(-1)
    ones = torch.ones(length, length, dtype=torch.bool, device=steps.device)
    later = steps[..., None].expand(*steps.shape, length).masked_fill(~ones.tril(-1), 0.0)
    return running_sums(later, dim=-2).masked_fill(~ones.tril(), -torch.inf)


def into_chunks(values: Tensor, chunk_len: int) -> Tensor:
    """values (B, T, ...) -> (B, C, L, ...), of which the last are filled up with zeros."""
    n_tokens = values.size(1)
    chunk_len = min(chunk_len, n_tokens)
    padding = -n_tokens % chunk_len
    if padding:
        zeros = values.new_zeros(len(values), padding, *values.shape[2:])
        values = torch.cat((values, zeros), dim=1)
    chunks: Tensor = values.unflatten(1, (-1, chunk_len))
    return chunks


def chunked_scan(
    u: Tensor, steps: Tensor, b: Tensor, c: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    """y_t = h_t c_t, where h_t = exp(steps_t) h_{t-1} + u_t b_t^T and ``state`` is the first h.

    Inputs u (B, C, L, N, H); logarithms of decays, steps (B, C, L, N), at most 0; b and c (B, C, L,
    G, S), each for a group of heads; state (B, N, H, S). Returns y (B, C x L, N, H) and the state
    after the last token. How long a chunk is changes rounding only, and zeros at the end, which
    neither decay the state nor add to it, nothing.
    """
    n_groups = b.size(3)
    u = u.unflatten(3, (n_groups, -1))  # (B, C, L, G, M, H)
    steps = steps.transpose(2, 3).unflatten(2, (n_groups, -1))  # (B, C, G, M, L)
    state = state.unflatten(1, (n_groups, -1))  # (B, G, M, H, S)

    # Tokens of the same chunk: as attention, with decays in place of a softmax.
    decay = segment_sums(steps).exp()  # (B, C, G, M, L, R)
    scores = torch.einsum("bclgs,bcrgs->bcglr", c, b)
    within = torch.einsum("bcgmlr,bcrgmh->bclgmh", scores[:, :, :, None] * decay, u)

    # What each chunk adds to the state until its end, and from that the state it begins with.
    to_end = decay[..., -1, :].permute(0, 1, 4, 2, 3)[..., None]  # (B, C, R, G, M, 1)
    added = torch.einsum("bcrgs,bcrgmh->bcgmhs", b, u * to_end)
    from_start = running_sums(steps, dim=-1).exp()
    starts = []
    for chunk in range(added.size(1)):
        starts.append(state)
        state = state * from_start[:, chunk, :, :, -1, None, None] + added[:, chunk]

    across = torch.einsum("bclgs,bcgmhs->bclgmh", c, torch.stack(starts, dim=1))
    y = within + across * from_start.permute(0, 1, 4, 2, 3)[..., None]
    return y.flatten(3, 4).flatten(1, 2), state.flatten(1, 2)
