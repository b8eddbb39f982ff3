"""Tensor and sequence parallelism beside sharding has the numbers of a plain model, or a reason."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from driven import reports_of
from rendering import parse

from scaffold.catalogue import Catalogue
from scaffold.design import Value
from scaffold.errors import DesignError

BASE: Mapping[str, Value] = {
    "task": "language-model",
    "task.max_seq_len": 64,
    "parallelism": "fsdp",
    "parallelism.n_devices": 4,
    "tensor_parallel": "sequence-parallel",
    "precision": "float32",
    "graph_mode": "eager",
}
PADDED: Mapping[str, Value] = {
    "tokenizer": "bpe",
    "tokenizer.vocab_size": 299,
    "vocabulary_padding": "multiple",
}
# What else a design has, and on how many ranks it trains, one after the other: each continues the
# checkpoint of the one before.
DESIGNS: Mapping[str, tuple[Mapping[str, Value], tuple[int, ...]]] = {
    "tied": ({"embedding": "tied"}, (2, 4, 1)),
    "copies between machines": ({"parallelism": "hsdp", "embedding": "untied"}, (4,)),
    "packed in windows": (
        {
            "tokenizer": "bpe",
            "documents": "masked",
            "span": "sliding-window",
            "attention": "multi-query",
            "qk_norm": "weighted-per-head",
            "feed_forward": "squared-relu",
        },
        (4,),
    ),
    "biases and norms as in GPT-2": (
        {
            **PADDED,
            "attention": "multi-head",
            "qk_norm": "none",
            "normalization": "biased-layer-norm",
            "projection_bias": "all",
            "feed_forward": "gelu-tanh",
            "loss": "label-smoothing",
        },
        (4,),
    ),
    "as Gemma 2": (
        {
            **PADDED,
            "qk_norm": "none",
            "span": "alternating",
            "norm_placement": "around",
            "scores": "soft-capped",
            "logits": "soft-capped",
            "embedding_scale": "sqrt-width",
            "feed_forward": "geglu-tanh",
            "loss": "z-loss",
        },
        (2,),
    ),
    "linear biases, norms after": (
        {"position": "alibi", "norm_placement": "after", "projection_bias": "qkv"},
        (4,),
    ),
    "averaged and compiled": (
        {"graph_mode": "compile", "averaging": "ema", "embedding": "untied"},
        (4,),
    ),
}


def train(
    catalogue: Catalogue, answers: Mapping[str, Value], worlds: tuple[int, ...], folder: Path
) -> list[dict[str, Any]]:
    """What the driver reports of a design on each number of ranks."""
    return reports_of(catalogue, {**BASE, **answers}, worlds, folder)


@pytest.mark.parametrize("title", DESIGNS)
def test_any_number_of_ranks_trains_as_a_plain_model(
    catalogue: Catalogue, tmp_path: Path, title: str
) -> None:
    answers, worlds = DESIGNS[title]
    reports = train(catalogue, {**BASE, **answers}, worlds, tmp_path / "project")
    assert [report["world"] for report in reports] == list(worlds)
    for report in reports:
        assert report["start"] and report["continues"]
        assert report["gradients"] < 1e-4
        for name in ("losses", "norms", "evaluation"):
            assert report[name] < 1e-4
        assert report["weights"] < 1e-3  # AdamW divides small gradients by their own size


def test_products_in_bfloat16_differ_by_their_rounding(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    answers = {**BASE, "precision": "bfloat16"}
    (report,) = train(catalogue, answers, (4,), tmp_path / "project")
    assert report["start"]
    assert report["gradients"] < 0.03
    assert report["losses"] < 1e-3


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"tensor_parallel.degree": 4, "task.n_heads": 6, "task.dim": 384}, "whole heads"),
        ({"tensor_parallel.degree": 4, "task.n_heads": 4, "attention.n_kv_heads": 2}, "key and"),
        ({"feed_forward.hidden_dim": 63}, "63 features"),
        ({"tokenizer": "bpe", "tokenizer.vocab_size": 301}, "equally many rows"),
        ({"task.max_seq_len": 63}, "equally many tokens"),
        ({"parallelism.n_nodes": 4}, "links between machines"),
        (
            {
                "parallelism": "hsdp",
                "parallelism.n_devices": 12,
                "parallelism.n_nodes": 2,
                "parallelism.shard_ranks": 4,
            },
            "a copy of the model takes 4 x 2",
        ),
        ({"position": "learned"}, "what is spread are the heads"),
        ({"attention": "latent"}, "what is spread are the heads"),
        ({"feed_forward": "mixture-of-experts"}, "what is spread are the heads"),
        ({"qk_norm": "full-width"}, "what is spread are the heads"),
        ({"mixer": "hybrid"}, "what is spread are the heads"),
    ],
)
def test_what_does_not_divide_is_refused(
    catalogue: Catalogue, answers: Mapping[str, Value], reason: str
) -> None:
    with pytest.raises(DesignError, match=reason):
        parse(catalogue, {**BASE, **answers})
