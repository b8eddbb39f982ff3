"""A model of bytes that looks two bytes back: the least that a network must beat.

Interpolated Witten-Bell smoothing (Witten and Bell 1991): an order backs off to the next lower one
in proportion to how many different bytes followed its context.
"""

import numpy as np
from numpy.typing import NDArray

BYTES = 256
Bytes = NDArray[np.uint8]
Counts = NDArray[np.int64]


class ThreeGram:
    """Probabilities of a byte given the two before it, counted in a training text."""

    def __init__(self, text: Bytes) -> None:
        codes = text.astype(np.int64)
        self._one = np.bincount(codes, minlength=BYTES)
        self._two = _count(codes[:-1] * BYTES + codes[1:], BYTES)
        pairs = codes[:-2] * BYTES + codes[1:-1]
        self._three = _count(pairs * BYTES + codes[2:], BYTES**2)

    def losses(self, text: Bytes) -> NDArray[np.float64]:
        """Nats for each byte of a text but the first two, shape (len(text) - 2,)."""
        codes = text.astype(np.int64)
        before, last, now = codes[:-2], codes[1:-1], codes[2:]
        uniform = np.full(len(now), 1 / BYTES)
        zeros = np.zeros_like(now)
        chance = _interpolate(self._one[None, :], zeros, now, uniform)
        chance = _interpolate(self._two, last, now, chance)
        chance = _interpolate(self._three, before * BYTES + last, now, chance)
        losses: NDArray[np.float64] = -np.log(chance)
        return losses


def _count(codes: Counts, contexts: int) -> Counts:
    """How often each byte follows each context, shape (contexts, BYTES)."""
    return np.bincount(codes, minlength=contexts * BYTES).reshape(contexts, BYTES)


def _interpolate(
    counts: Counts, contexts: Counts, now: Counts, lower: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The probabilities of one order, from those of the order below; a new context adds nothing."""
    total = counts.sum(1)[contexts]
    kinds = (counts > 0).sum(1)[contexts]
    seen = (counts[contexts, now] + kinds * lower) / np.maximum(total + kinds, 1)
    return np.where(total > 0, seen, lower)
