"""Where the documents of a row are, and who sees whom.

Shapes: B batch, T tokens.
"""

import torch
from torch import Tensor


def positions_in_documents(tokens: Tensor, end_of_text: int) -> Tensor:
    """How many tokens of its document stand before each one in its row of ``tokens`` (B, T).

    An end of text is the last token of its document. A row starts anew as well, even if it is in
    the middle of a document.
    """
    places = torch.arange(tokens.size(1), device=tokens.device)
    is_first = torch.ones_like(tokens, dtype=torch.bool)
    is_first[:, 1:] = tokens[:, :-1] == end_of_text
    return places - (places * is_first).cummax(dim=1).values


def document_mask(positions: Tensor, window: int) -> Tensor:
    """A mask (B, 1, T, T), true where a token may look at another.

    It sees itself and the ``window - 1`` tokens before it, but none before the start of its
    document, which is ``positions`` (B, T) tokens away.
    """
    places = torch.arange(positions.size(1), device=positions.device)
    distance = places[:, None] - places
    in_window = (distance >= 0) & (distance < window)
    return (in_window & (distance <= positions[:, :, None]))[:, None]
