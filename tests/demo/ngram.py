"""A byte n-gram model with backoff: what a language model must beat to have learnt anything."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence


class BackoffModel:
    """Interpolated Witten-Bell estimates (https://doi.org/10.1109/18.87000) up to ``order`` bytes.

    The more different bytes have followed a context, the more weight goes to the shorter context;
    at the end stands the uniform distribution over all 256 bytes, so nothing has probability 0.
    """

    def __init__(self, text: Sequence[int], order: int) -> None:
        self._order = order
        self._counts: list[dict[tuple[int, ...], Counter[int]]] = []
        for length in range(order):
            counts: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
            for end in range(length, len(text)):
                counts[tuple(text[end - length : end])][text[end]] += 1
            self._counts.append(counts)

    def probability(self, context: tuple[int, ...], byte: int) -> float:
        """Of ``byte`` after ``context``, of which at most ``order - 1`` bytes are used."""
        estimate = 1 / 256
        for length in range(min(len(context), self._order - 1) + 1):
            followers = self._counts[length].get(context[len(context) - length :])
            if followers:
                seen, kinds = followers.total(), len(followers)
                estimate = (followers[byte] + kinds * estimate) / (seen + kinds)
        return estimate

    def loss(self, text: Sequence[int]) -> float:
        """Cross-entropy in nats per byte."""
        history = self._order - 1
        total = sum(
            math.log(self.probability(tuple(text[max(0, end - history) : end]), text[end]))
            for end in range(len(text))
        )
        return -total / len(text)
