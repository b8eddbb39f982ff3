"""Logits with the cache against those without it, at every position.

The window is 8 tokens wide, so that a prompt of 24 fills it three times.
"""

import pytest
import torch
from package.model import ModelConfig, Transformer, build_model
from torch.testing import assert_close


# {# Slots: size reads cache, adds to sizes; keys binds keys. #}
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


@torch.no_grad()
def test_memory_does_not_grow_with_the_text(model: Transformer) -> None:
    cache = model.new_cache(batch_size=2)
    sizes = []
    for length in (30, 1, 1):
        model(torch.zeros(2, length, dtype=torch.int64), cache)
        # {% print mixer.size() %}
    # {% print mixer.keys() %}
    assert keys.size(2) == 7  # what the next token sees beside itself
    assert sizes == [keys.numel() * keys.element_size()] * 3
