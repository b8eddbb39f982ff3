"""Logits are bounded, and small ones hardly change."""

from dataclasses import replace

import torch
from package.model import ModelConfig, build_model
from torch.testing import assert_close


@torch.no_grad()
def test_logits_are_bounded(model_config: ModelConfig) -> None:
    capped = build_model(model_config, torch.device("cpu"), seed=0)
    free = build_model(replace(model_config, logit_softcap=1e6), torch.device("cpu"), seed=0)
    tokens = torch.arange(10)[None]
    for model in (capped, free):
        model.norm.weight.fill_(0.1)  # so that the logits are small
    assert_close(capped(tokens), free(tokens), atol=1e-3, rtol=1e-3)
    for model in (capped, free):
        model.norm.weight.fill_(1000)
    assert free(tokens).abs().max() > model_config.logit_softcap
    assert capped(tokens).abs().max() <= model_config.logit_softcap
    assert_close(
        capped(tokens),
        model_config.logit_softcap * (free(tokens) / model_config.logit_softcap).tanh(),
        atol=1e-3,
        rtol=1e-3,
    )
