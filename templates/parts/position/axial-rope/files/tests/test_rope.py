"""Axial rotary embedding: relative rows and columns, and no cast."""

import pytest
import torch
from package.model.rope import AxialRotaryEmbedding
from torch.testing import assert_close


def test_scores_depend_on_rows_and_columns_apart() -> None:
    rope = AxialRotaryEmbedding(head_dim=16, grid_size=5)
    q, k = torch.randn(2, 16, generator=torch.Generator().manual_seed(0))
    # One query and one key on every patch; scores[r, c, s, d] is that of patches (r, c) and (s, d).
    queries, keys = (rope(vector.expand(1, 25, 1, 16))[0, :, 0] for vector in (q, k))
    scores = (queries @ keys.mT).view(5, 5, 5, 5)
    assert_close(scores[1:, 1:, 1:, 1:], scores[:-1, :-1, :-1, :-1], atol=1e-5, rtol=0)
    assert (scores[0, 0, 0, 1] - scores[0, 0, 1, 0]).abs() > 1e-2
    assert (scores[0, 0, 0, 1] - scores[0, 0, 0, 2]).abs() > 1e-2


def test_the_table_stays_exact_when_the_model_is_cast() -> None:
    with torch.device("meta"):
        rope = AxialRotaryEmbedding(head_dim=8, grid_size=32)
    rope.to_empty(device="cpu").bfloat16()
    rows = torch.arange(32, dtype=torch.float64).repeat_interleave(32)
    assert rope.table.dtype == torch.float32
    assert_close(rope.table[0, :, 0].double(), rows.cos(), atol=1e-6, rtol=0)
    assert_close(rope.table[1, :, 1].double(), (rows / 10).sin(), atol=1e-6, rtol=0)
    assert not rope.state_dict()


def test_a_head_without_halves_is_refused() -> None:
    with pytest.raises(ValueError, match="multiple of 4"):
        AxialRotaryEmbedding(head_dim=6, grid_size=4)
