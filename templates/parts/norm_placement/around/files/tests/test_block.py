"""A layer against its formula."""

import torch
from package.model import ModelConfig, build_model
from package.model.block import Block
from torch.testing import assert_close


@torch.no_grad()
def test_what_a_sublayer_reads_and_adds_is_normalized(model_config: ModelConfig) -> None:
    block = build_model(model_config, torch.device("cpu"), seed=0).layers[0]
    assert isinstance(block, Block)
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, 5, model_config.dim, generator=generator)
    for name, weight in block.named_parameters():
        if name.endswith(("wo.weight", "w2.weight")):
            weight.mul_(1000)  # which the norm takes back
    middle = x + block.post_attention_norm(block.attention(block.attention_norm(x)))
    added = block.post_ffn_norm(block.feed_forward(block.ffn_norm(middle)))
    assert_close(block(x), middle + added, atol=1e-5, rtol=0)
    assert (block(x) - x).square().mean() < 10
