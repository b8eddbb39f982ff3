"""Logits with the cache against those without it, at every position."""

import pytest
import torch
from package.model import ModelConfig, Transformer, build_model
from torch.testing import assert_close


@pytest.fixture
def model(model_config: ModelConfig) -> Transformer:
    return build_model(model_config, torch.device("cpu"), seed=0)


@pytest.mark.parametrize("lengths", [(32,), (1,) * 32, (24, *(1,) * 8), (3, 9, 1, 17, 2), (1, 31)])
@torch.no_grad()
def test_logits_are_those_without_a_cache(model: Transformer, lengths: tuple[int, ...]) -> None:
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(model.config.vocab_size, (3, 32), generator=generator)
    cache = model.new_cache(batch_size=3)
    logits = torch.cat([model(chunk, cache) for chunk in tokens.split(lengths, dim=1)], dim=1)
    assert_close(logits, model(tokens), atol=1e-5, rtol=1e-5)
    assert cache.length == 32
