"""Which layers turn by which angles."""

from dataclasses import replace

import torch
from package.model import ModelConfig, build_model
from package.model.rope import RotaryEmbedding


def test_a_window_has_a_base_of_its_own(model_config: ModelConfig) -> None:
    config = replace(model_config, rope_theta=1_000_000.0, local_rope_theta=100.0)
    model = build_model(config, torch.device("cpu"), seed=0)
    ropes = [module for module in model.modules() if isinstance(module, RotaryEmbedding)]
    for rope, theta in zip(ropes, (100.0, 1_000_000.0), strict=True):
        expected = RotaryEmbedding(config.head_dim, config.max_seq_len, theta)
        assert torch.equal(rope.table, expected.table)
    assert not torch.equal(ropes[0].table, ropes[1].table)
