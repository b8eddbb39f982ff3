"""What the first layer reads."""

import math

import torch
from package.model import ModelConfig, build_model
from torch import Tensor
from torch.testing import assert_close


@torch.no_grad()
def test_embeddings_are_as_large_as_the_width_asks_for(model_config: ModelConfig) -> None:
    model = build_model(model_config, torch.device("cpu"), seed=0)
    read: list[Tensor] = []
    model.layers[0].register_forward_pre_hook(lambda _layer, inputs: read.append(inputs[0]))
    model(torch.tensor([[3], [5]]))
    ours, other = read[0]  # whose positions are the same
    expected = model.tok_embeddings.weight[3] - model.tok_embeddings.weight[5]
    assert_close(ours[0] - other[0], math.sqrt(model_config.dim) * expected, atol=1e-6, rtol=1e-5)
