"""Rotary embedding: exact angles, relative positions, and no cast."""

import pytest
import torch
from package.model.rope import RotaryEmbedding
from torch.testing import assert_close


# {# Slots: cosines reads positions, pairs, width and theta, returns cosines; lengths reads x, binds
#    lengths. #}
def exact_cosines(width: int, max_seq_len: int, theta: float) -> torch.Tensor:
    pairs = torch.arange(width // 2, dtype=torch.float64)
    positions = torch.arange(max_seq_len, dtype=torch.float64)
    # {% print rope_scaling.cosines() %}


def test_the_table_stays_exact_when_the_model_is_cast() -> None:
    rope = RotaryEmbedding(64, 8192, 10000.0).bfloat16()
    assert rope.table.dtype == torch.float32
    assert (rope.table[0] - exact_cosines(64, 8192, 10000.0)).abs().max() < 1e-6
    assert rope(torch.ones(1, 1, 4, 64, dtype=torch.bfloat16), 0).dtype == torch.bfloat16


def test_the_table_is_there_after_to_empty() -> None:
    with torch.device("meta"):
        rope = RotaryEmbedding(8, 16, 10000.0)
    rope.to_empty(device="cpu")
    assert_close(rope.table[0].double(), exact_cosines(8, 16, 10000.0), atol=1e-6, rtol=0)
    assert not rope.state_dict()


def test_scores_depend_on_distances_only() -> None:
    rope = RotaryEmbedding(16, 64, 100.0)
    q, k = torch.randn(2, 1, 1, 3, 16, generator=torch.Generator().manual_seed(0))

    def scores(start_of_q: int, start_of_k: int) -> torch.Tensor:
        products: torch.Tensor = rope(q, start_of_q) * rope(k, start_of_k)
        return products.sum(dim=-1)

    for start in range(0, 59, 7):
        assert_close(scores(start + 5, start), scores(5, 0), atol=1e-5, rtol=0)
    assert (scores(6, 0) - scores(5, 0)).abs().max() > 1e-2


def test_lengths_are_kept() -> None:
    x = torch.randn(2, 8, 3, 16, generator=torch.Generator().manual_seed(0))
    # {% print rope_scaling.lengths() %}
    assert_close(RotaryEmbedding(16, 8, 100.0)(x, 0).norm(dim=-1), lengths)


def test_an_odd_head_is_refused() -> None:
    with pytest.raises(ValueError, match="must be even"):
        RotaryEmbedding(7, 16, 10000.0)
