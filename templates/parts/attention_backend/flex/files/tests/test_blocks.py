"""FlexAttention against SDPA with the same mask, as far as the CPU has it: forward, uncompiled."""

from dataclasses import replace

import pytest
import torch
from package.model import ModelConfig, blocks, build_model, packed
from package.model.documents import document_mask, positions_in_documents
from torch import Tensor
from torch.testing import assert_close

END = 0


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "compiled", lambda function: function)


@pytest.fixture
def tokens() -> Tensor:
    """Two rows (2, 32) of documents."""
    tokens = torch.randint(1, 200, (2, 32), generator=torch.Generator().manual_seed(0))
    tokens[0, 12] = tokens[0, 23] = tokens[1, 4] = END
    return tokens


@pytest.mark.parametrize("window", [1, 8, 32])
def test_both_masks_show_the_same_pairs(tokens: Tensor, window: int) -> None:
    positions = positions_in_documents(tokens, END)
    layer = blocks.BlockLayer(positions, window)
    *_, mask = layer.extend(tokens, tokens)
    assert torch.equal(mask, document_mask(positions, window))


@torch.no_grad()
def test_logits_are_those_of_sdpa(
    model_config: ModelConfig, tokens: Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = replace(model_config, dim=64)
    model = build_model(config, torch.device("cpu"), seed=0)
    positions = positions_in_documents(tokens, END)
    expected = model(tokens, positions=positions)
    monkeypatch.setattr(packed, "PackedLayer", blocks.BlockLayer)
    assert_close(model(tokens, positions=positions), expected, atol=1e-5, rtol=1e-5)
