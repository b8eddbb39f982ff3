"""Which layers turn by which angles."""

from dataclasses import replace

import torch
from package.model import ModelConfig, build_model
from package.model.rope import RotaryEmbedding
from torch.testing import assert_close


def test_a_window_has_a_base_of_its_own_and_plain_angles(model_config: ModelConfig) -> None:
    config = replace(model_config, rope_theta=1_000_000.0, local_rope_theta=100.0)
    model = build_model(config, torch.device("cpu"), seed=0).bfloat16()
    ropes = [module for module in model.modules() if isinstance(module, RotaryEmbedding)]
    local, other = (rope.table for rope in ropes)
    head_dim = config.head_dim
    pairs = torch.arange(head_dim // 2, dtype=torch.float64)
    angles = torch.arange(config.max_seq_len)[:, None] / 100.0 ** (2 * pairs / head_dim)
    assert_close(local.double(), torch.stack((angles.cos(), angles.sin())), atol=1e-6, rtol=0)
    expected = RotaryEmbedding(config.head_dim, config.max_seq_len, 1_000_000.0)
    assert torch.equal(other, expected.table)
