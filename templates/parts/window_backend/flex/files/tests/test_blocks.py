"""FlexAttention against SDPA with a mask, as far as the CPU has it: forward, uncompiled."""

from dataclasses import replace

import pytest
import torch
from package.model import ModelConfig, blocks, build_model
from package.model.rows import BlockRows, block_rows
from package.model.window import window_mask
from torch.testing import assert_close

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "compiled", lambda function: function)


@pytest.mark.parametrize("window", [1, 8, 32])
def test_both_masks_show_the_same_pairs(window: int) -> None:
    keys = torch.zeros(2, 4, 32, 16)
    *_, mask = blocks.BlockLayer(window, 32, CPU).extend(keys, keys)
    assert torch.equal(mask[0, 0], window_mask(32, 32, window, CPU))


@torch.no_grad()
def test_logits_are_those_of_sdpa(model_config: ModelConfig) -> None:
    config = replace(model_config, dim=64)
    model = build_model(config, CPU, seed=0)
    tokens = torch.randint(1, 200, (2, 32), generator=torch.Generator().manual_seed(0))
    rows = BlockRows(config, 32, CPU)
    assert_close(model(tokens, rows), model(tokens), atol=1e-5, rtol=1e-5)


def test_rows_of_one_length_are_made_once(model_config: ModelConfig) -> None:
    rows = block_rows(model_config, 32, CPU)
    assert block_rows(replace(model_config), 32, CPU) is rows
    assert block_rows(model_config, 16, CPU) is not rows
