"""Which tokens a token sees through a sliding window."""

import torch
from torch import Tensor


def window_mask(n_queries: int, n_keys: int, window: int, device: torch.device) -> Tensor:
    """A mask (n_queries, n_keys), true where a query may look at a key.

    The queries are the last of the keys' tokens. Each sees itself and the ``window - 1`` before it
    (Longformer, https://arxiv.org/abs/2004.05150; Mistral 7B, https://arxiv.org/abs/2310.06825).
    """
    positions = torch.arange(n_keys, device=device)
    distance = positions[n_keys - n_queries :, None] - positions
    return (distance >= 0) & (distance < window)
