"""The yardstick is a proper distribution, and better with more context."""

import pytest
from ngram import BackoffModel

TEXT = b"the cat sat on the mat; the rat sat on the cat. " * 20


@pytest.mark.parametrize(
    "context", [(), tuple(b"h"), tuple(b"th"), tuple(b"\xff\xff"), tuple(b"at")]
)
def test_probabilities_add_up_to_one(context: tuple[int, ...]) -> None:
    model = BackoffModel(TEXT, order=3)
    total = sum(model.probability(context, byte) for byte in range(256))
    assert total == pytest.approx(1)


def test_counts_by_hand() -> None:
    model = BackoffModel(b"aab", order=1)
    # Two kinds in three bytes: (2 + 2/256) / (3 + 2).
    assert model.probability((), ord("a")) == pytest.approx((2 + 2 / 256) / 5)


def test_longer_contexts_lower_the_loss() -> None:
    losses = [BackoffModel(TEXT, order).loss(TEXT) for order in (1, 2, 3)]
    assert losses == sorted(losses, reverse=True)
