"""The router against its definition, in plain numbers."""

import math

import torch
from package.model import ModelConfig, build_model
from package.model.router import Router
from torch import Tensor


# {# Slots: score reads logits, binds scores; weigh reads scores and chosen, binds weights. #}
def make_router(config: ModelConfig) -> Router:
    model = build_model(config, torch.device("cpu"), seed=0)
    found = model.layers[-1].get_submodule("feed_forward.router")
    assert isinstance(found, Router)
    with torch.no_grad():
        found.gate.weight.mul_(0.4 / found.gate.weight.std())  # so that the scores are far apart
    return found


def some_tokens(n_tokens: int, config: ModelConfig) -> Tensor:
    return torch.randn(n_tokens, config.dim, generator=torch.Generator().manual_seed(1))


def expected_weights(logits: list[float], chosen: list[int]) -> list[float]:
    # {% print router.score() %}
    # {% print router.weigh() %}
    return weights


@torch.no_grad()
def test_the_highest_scores_are_chosen_and_weighted(model_config: ModelConfig) -> None:
    router = make_router(model_config)
    tokens = some_tokens(50, model_config)
    routing = router(tokens)
    for token, experts, weights in zip(tokens, routing.experts, routing.weights, strict=True):
        logits = [math.fsum((row * token).tolist()) for row in router.gate.weight]
        best = sorted(range(len(logits)), key=logits.__getitem__, reverse=True)
        assert experts.tolist() == best[: model_config.top_k]
        expected = expected_weights(logits, best[: model_config.top_k])
        torch.testing.assert_close(weights, torch.tensor(expected))
    assert routing.counts.tolist() == routing.experts.flatten().bincount(minlength=4).tolist()


@torch.no_grad()
def test_half_precision_chooses_what_float64_does(model_config: ModelConfig) -> None:
    router = make_router(model_config)
    tokens = some_tokens(3000, model_config)
    exact = tokens.double() @ router.gate.weight.double().mT
    expected = exact.topk(model_config.top_k).indices
    with torch.autocast("cpu", dtype=torch.bfloat16):
        routing = router(tokens)
        rounded = router.gate(tokens).topk(model_config.top_k).indices
    assert torch.equal(routing.experts, expected)
    assert routing.weights.dtype == torch.float32
    assert not torch.equal(rounded, expected)  # as it would be without float32


@torch.no_grad()
def test_only_training_counts(model_config: ModelConfig) -> None:
    router = make_router(model_config)
    router(some_tokens(10, model_config))
    router(some_tokens(7, model_config))
    assert router.load.sum() == 17 * model_config.top_k
    router.eval()
    router(some_tokens(10, model_config))
    assert router.load.sum() == 17 * model_config.top_k
    assert "load" not in router.state_dict()
