"""The yardstick of the demo is a proper distribution, and counts what it should."""

import numpy as np
import pytest

from benchmarks.ngram import ThreeGram

TEXT = np.frombuffer(b"the cat sat on the mat; the rat sat on the cat. " * 20, np.uint8)


@pytest.mark.parametrize("context", [b"th", b"at", b"\xff\xff", b"e\xff", b"\xffe"])
def test_probabilities_add_up_to_one(context: bytes) -> None:
    model = ThreeGram(TEXT)
    losses = [
        model.losses(np.frombuffer(context + bytes([byte]), np.uint8))[0] for byte in range(256)
    ]
    assert np.exp(-np.array(losses)).sum() == pytest.approx(1)


def test_an_estimate_worked_out_by_hand() -> None:
    # After the unseen context "xx" only the counts of single bytes speak: of 3 bytes, 2 are "a",
    # and 2 kinds give a weight of 2 in 5 to the uniform distribution.
    model = ThreeGram(np.frombuffer(b"aab", np.uint8))
    (loss,) = model.losses(np.frombuffer(b"xxa", np.uint8))
    assert np.exp(-loss) == pytest.approx((2 + 2 / 256) / 5)


def test_what_was_counted_is_likely() -> None:
    seen, unseen = (
        ThreeGram(TEXT).losses(np.frombuffer(text, np.uint8))[0] for text in (b"the", b"thz")
    )
    assert seen < 0.5
    assert unseen > 5
