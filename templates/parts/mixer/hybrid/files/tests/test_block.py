"""The two kinds of layers against their formulas, and which layer is of which kind."""

from dataclasses import replace

import torch
from package.model import ModelConfig, build_model
from package.model.block import Block, MambaBlock
from torch.testing import assert_close

CPU = torch.device("cpu")


@torch.no_grad()
def test_each_half_reads_the_normalized_stream(model_config: ModelConfig) -> None:
    block, other = build_model(model_config, CPU, seed=0).layers
    assert isinstance(block, Block)
    assert isinstance(other, MambaBlock)
    x = torch.randn(2, 5, model_config.dim, generator=torch.Generator().manual_seed(0))
    middle = x + block.attention(block.attention_norm(x))
    assert_close(block(x), middle + block.feed_forward(block.ffn_norm(middle)))
    middle = x + other.mamba(other.mamba_norm(x))
    assert_close(other(x), middle + other.feed_forward(other.ffn_norm(middle)))
    # The stream passes unchanged where the layers add nothing.
    for layer in (block, other):
        for name, weight in layer.named_parameters():
            if name.endswith(("wo.weight", "w2.weight", "out_proj.weight")):
                weight.zero_()
        assert torch.equal(layer(x), x)


def test_one_layer_in_a_row_has_attention(model_config: ModelConfig) -> None:
    config = replace(model_config, n_layers=7, attention_every=3, attention_offset=1)
    kinds = [type(layer) for layer in build_model(config, CPU, seed=0).layers]
    assert kinds == [MambaBlock, Block, MambaBlock, MambaBlock, Block, MambaBlock, MambaBlock]
    assert config.n_attention_layers == 2
