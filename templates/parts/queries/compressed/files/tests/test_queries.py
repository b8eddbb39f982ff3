"""The queries against their formula, in float64."""

import torch
from package.model import ModelConfig
from package.model.queries import Queries
from torch.testing import assert_close


@torch.no_grad()
def test_queries_come_from_a_normalized_narrow_vector(model_config: ModelConfig) -> None:
    queries = Queries(model_config).double()
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, 5, model_config.dim, generator=generator, dtype=torch.float64)
    narrow, gain, wide = queries.parameters()
    hidden = x @ narrow.mT
    hidden = hidden / (hidden.square().mean(dim=-1, keepdim=True) + 1e-6).sqrt()
    assert_close(queries(x), (hidden * gain) @ wide.mT, atol=1e-12, rtol=1e-9)
