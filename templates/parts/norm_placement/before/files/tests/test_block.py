"""A layer against its formula."""

import torch
from package.model import ModelConfig, build_model
from package.model.block import Block
from torch.testing import assert_close


@torch.no_grad()
def test_a_sublayer_reads_the_normalized_stream(model_config: ModelConfig) -> None:
    block = build_model(model_config, torch.device("cpu"), seed=0).layers[0]
    assert isinstance(block, Block)
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, 5, model_config.dim, generator=generator)
    middle = x + block.attention(block.attention_norm(x))
    expected = middle + block.feed_forward(block.ffn_norm(middle))
    assert_close(block(x), expected)
    # The stream passes unchanged where the sublayers add nothing.
    for name, weight in block.named_parameters():
        if name.endswith(("wo.weight", "w2.weight")):
            weight.zero_()
    assert torch.equal(block(x), x)
