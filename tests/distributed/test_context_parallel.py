"""Samples whose tokens are on several devices have the numbers of a plain model, or a reason."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from rendering import parse
from test_tensor_parallel import train

from scaffold.catalogue import Catalogue
from scaffold.design import Value
from scaffold.errors import DesignError

BASE: Mapping[str, Value] = {"tensor_parallel": "none", "context_parallel": "gathered-keys"}
# What else a design has, and on how many ranks it trains, one after the other: each continues the
# checkpoint of the one before.
DESIGNS: Mapping[str, tuple[Mapping[str, Value], tuple[int, ...]]] = {
    "tied": ({"embedding": "tied"}, (2, 4, 1)),
    "four share tokens": ({"context_parallel.degree": 4, "loss": "z-loss"}, (4,)),
    "windows and the whole context in turns": (
        {"span": "alternating", "local_rope": "own-base", "attention": "multi-query"},
        (2,),
    ),
    "windows, compiled and computed again": (
        {
            "span": "sliding-window",
            "position": "partial-rope",
            "graph_mode": "compile",
            "activation_checkpointing": "full",
        },
        (2,),
    ),
    "copies between machines, without positions in some layers": (
        {
            "parallelism": "hsdp",
            "position": "rope-nope",
            "attention": "multi-head",
            "averaging": "ema",
        },
        (4,),
    ),
    "beside matrices that are shared": ({"tensor_parallel": "sequence-parallel"}, (4,)),
    "experts": ({"feed_forward": "mixture-of-experts", "balance": "bias"}, (2,)),
    "beside experts on different ranks": (
        {
            "feed_forward": "mixture-of-experts",
            "balance": "bias",
            "expert_parallel": "all-to-all",
        },
        (4,),
    ),
}


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


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"context_parallel.degree": 3}, "two equal parts of the 64 tokens"),
        ({"context_parallel.degree": 4, "parallelism.n_devices": 6}, "4 devices share a sample"),
        (
            {
                "context_parallel.degree": 4,
                "parallelism": "hsdp",
                "parallelism.n_devices": 8,
                "parallelism.n_nodes": 1,
                "parallelism.shard_ranks": 4,
            },
            "a copy of the model is on whole groups of 4",
        ),
        ({"position": "alibi"}, "parts of a row"),
        ({"position": "learned"}, "parts of a row"),
        ({"attention": "latent"}, "parts of a row"),
        ({"tokenizer": "bpe", "documents": "masked"}, "parts of a row"),
        ({"scores": "soft-capped"}, "parts of a row"),
        ({"mixer": "hybrid"}, "parts of a row"),
        ({"span": "sliding-window", "window_backend": "flex"}, "parts of a row"),
        ({"feed_forward": "mixture-of-experts", "balance": "auxiliary-loss"}, "parts of a row"),
    ],
)
def test_what_does_not_know_of_parts_is_refused(
    catalogue: Catalogue, answers: Mapping[str, Value], reason: str
) -> None:
    design: Mapping[str, Value] = {
        "task": "language-model",
        "task.max_seq_len": 64,
        "parallelism": "fsdp",
        **BASE,
    }
    with pytest.raises(DesignError, match=reason):
        parse(catalogue, {**design, **answers})
