"""A layer against its formula."""

import torch
from package.model import ModelConfig, build_model
from package.model.block import Block


@torch.no_grad()
def test_a_layer_reads_the_normalized_stream_and_adds_to_it(model_config: ModelConfig) -> None:
    block = build_model(model_config, torch.device("cpu"), seed=0).layers[0]
    assert isinstance(block, Block)
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, 5, model_config.dim, generator=generator)
    torch.testing.assert_close(block(x), x + block.mamba(block.mamba_norm(x)))
    # The stream passes unchanged where the layer adds nothing.
    block.mamba.out_proj.weight.zero_()
    assert torch.equal(block(x), x)
