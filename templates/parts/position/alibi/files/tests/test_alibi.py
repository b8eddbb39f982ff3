"""Linear biases: the slopes of the paper, distances, masks, and no cast."""

import pytest
import torch
from package.model.alibi import LinearBiases
from torch.testing import assert_close


@pytest.mark.parametrize(
    ("n_heads", "exponents"),
    [
        (8, [1, 2, 3, 4, 5, 6, 7, 8]),
        (4, [2, 4, 6, 8]),
        (1, [8]),
        (6, [2, 4, 6, 8, 1, 3]),
        (12, [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]),
    ],
)
def test_slopes_are_those_of_the_paper(n_heads: int, exponents: list[float]) -> None:
    assert_close(LinearBiases(n_heads).slopes, torch.tensor([2**-power for power in exponents]))


def test_scores_fall_with_the_distance() -> None:
    q, k = torch.zeros(1, 2, 2, 4), torch.zeros(1, 2, 4, 4)
    biases = LinearBiases(2)(q, k, None)
    inf = torch.inf
    distances = torch.tensor([[2, 1, 0, -inf], [3, 2, 1, 0]])
    assert_close(biases[0], torch.where(distances >= 0, -distances / 16, -inf))
    assert_close(biases[1], torch.where(distances >= 0, -distances / 256, -inf))


def test_a_mask_is_obeyed() -> None:
    q, k = torch.zeros(1, 2, 2, 4), torch.zeros(1, 2, 3, 4)
    mask = torch.tensor([[False, True, False], [False, True, True]])
    biases = LinearBiases(2)(q, k, mask)
    assert torch.equal(biases.isinf(), ~mask.expand(2, 2, 3))


def test_the_slopes_stay_exact_when_the_model_is_cast() -> None:
    with torch.device("meta"):
        biases = LinearBiases(12)
    biases.to_empty(device="cpu").bfloat16()
    assert torch.equal(biases.slopes, LinearBiases(12).slopes)
    assert biases.slopes.dtype == torch.float32
    assert not biases.state_dict()
    half = torch.zeros(1, 12, 2, 4, dtype=torch.bfloat16)
    assert biases(half, half, None).dtype == torch.bfloat16
