"""Generation of several texts at once, by models of every kind, and how a token is drawn."""

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from model_package import ModelPackage, import_model
from torch import Tensor
from transformers import (
    LogitsProcessorList,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from scaffold.catalogue import Catalogue

DESIGNS: tuple[Mapping[str, str], ...] = (
    {"attention": "grouped-query", "span": "causal", "position": "rope"},
    {"attention": "multi-head", "span": "sliding-window", "position": "alibi"},
    {"attention": "multi-query", "span": "causal", "position": "learned"},
    {"attention": "multi-query", "span": "sliding-window", "position": "none"},
    {"attention": "grouped-query", "span": "causal", "position": "alibi"},
    {"attention": "grouped-query", "span": "sliding-window", "position": "partial-rope"},
    {"attention": "latent", "span": "causal", "position": "rope"},
    {"attention": "latent", "span": "sliding-window", "position": "rope", "queries": "compressed"},
    {"attention": "multi-head", "feed_forward": "mixture-of-experts", "position": "learned"},
)
N_TOKENS = 14
SMALL = {
    "dim": 32,
    "n_layers": 2,
    "n_heads": 4,
    "n_kv_heads": 2,
    "max_seq_len": 12,
    "window": 4,
    "hidden_dim": 48,
}


@pytest.fixture(scope="module", params=DESIGNS, ids=lambda design: "+".join(design.values()))
def package(
    request: pytest.FixtureRequest, catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> ModelPackage:
    index = DESIGNS.index(request.param)
    folder = tmp_path_factory.mktemp("generation")
    return import_model(catalogue, folder, f"generation_{index}", request.param)


@pytest.fixture(scope="module")
def sampling(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder: Path = tmp_path_factory.mktemp("sampling")
    import_model(catalogue, folder, "generation_sampling", {})
    yield importlib.import_module("generation_sampling.generate")


def build(package: ModelPackage) -> Any:
    names = {field.name for field in fields(package.config())}
    return package.build(**{name: value for name, value in SMALL.items() if name in names})


@torch.no_grad()
def continued_alone(generate: Any, model: Any, prompt: list[int]) -> list[int]:
    """The likeliest tokens after the prompt when all are computed anew for each."""
    tokens = list(prompt)
    for _ in range(N_TOKENS):
        start = generate.context_start(len(tokens), model.config.max_seq_len)
        tokens.append(int(model(torch.tensor([tokens[start:]]))[0, -1].argmax()))
    return tokens[len(prompt) :]


def test_a_text_in_a_batch_is_the_text_alone_without_a_cache(package: ModelPackage) -> None:
    """Of every length from one token to more than the context, all in one batch."""
    generate = importlib.import_module(f"{package.module.__name__.partition('.')[0]}.generate")
    model = build(package).double()
    generator = torch.Generator().manual_seed(0)
    prompts = [
        torch.randint(1, model.config.vocab_size, (length,), generator=generator).tolist()
        for length in (1, 2, 5, 11, 12, 13, 30)
    ]
    greedy = generate.Sampling(temperature=0.0, top_k=1, top_p=1.0, seed=0)
    found = generate.generate(model, prompts, N_TOKENS, greedy, lambda _: False)
    assert found == [continued_alone(generate, model, prompt) for prompt in prompts]
    assert len({tuple(continuation) for continuation in found}) > len(prompts) // 2


def naive(logits: list[float], temperature: float, top_k: int, top_p: float) -> list[float]:
    """The definition: whole sentences of the paper, one token after the other."""
    scaled = torch.tensor(logits, dtype=torch.float64) / temperature
    order = sorted(range(len(logits)), key=lambda token: -float(scaled[token]))[:top_k]
    weights = [float((scaled[token] - scaled[order[0]]).exp()) for token in order]
    kept: list[int] = []
    for place in range(len(order)):
        kept.append(place)
        if sum(weights[i] for i in kept) >= top_p * sum(weights):
            break
    total = sum(weights[i] for i in kept)
    chances = [0.0] * len(logits)
    for place in kept:
        chances[order[place]] = weights[place] / total
    return chances


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    temperature=st.floats(0.1, 3.0),
    top_k=st.integers(1, 60),
    top_p=st.floats(0.01, 1.0),
)
def test_sampling_filters_are_those_of_the_definition_and_of_transformers(
    sampling: Any, seed: int, temperature: float, top_k: int, top_p: float
) -> None:
    generator = torch.Generator().manual_seed(seed)
    logits: Tensor = 2 * torch.randn(3, 50, generator=generator, dtype=torch.float64)
    found = sampling.next_token_probabilities(
        logits, sampling.Sampling(temperature, top_k, top_p, 0)
    )
    expected = torch.tensor([naive(row.tolist(), temperature, top_k, top_p) for row in logits])
    torch.testing.assert_close(found, expected.double(), atol=1e-6, rtol=1e-6)
    theirs: Any = LogitsProcessorList(
        [TemperatureLogitsWarper(temperature), TopKLogitsWarper(top_k), TopPLogitsWarper(top_p)]
    )
    scores = theirs(torch.zeros(3, 1, dtype=torch.int64), logits)
    torch.testing.assert_close(found, torch.softmax(scores, dim=-1), atol=1e-9, rtol=1e-9)
