"""Stages of a pipeline have the numbers of a plain model between them, or a reason."""

from collections.abc import Mapping
from pathlib import Path

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
    "pipeline": "1f1b",
    "embedding": "untied",
    "precision": "float32",
    "graph_mode": "eager",
}
# What else a design has, and on how many ranks it trains, one after the other: each continues the
# checkpoint of the one before. Eight samples are four micro-batches of one pipeline, or two of two.
DESIGNS: Mapping[str, tuple[Mapping[str, Value], tuple[int, ...]]] = {
    "two stages": ({}, (2, 4, 1, 2)),
    "four stages": ({"pipeline.stages": 4}, (4, 1)),
    "three stages": ({"pipeline.stages": 3, "parallelism.n_devices": 3}, (3,)),
    "alternating windows": (
        {
            "qk_norm": "none",
            "span": "alternating",
            "window_backend": "sdpa",
            "norm_placement": "around",
            "feed_forward": "geglu-tanh",
            "projection_bias": "all",
            "loss": "z-loss",
        },
        (4,),
    ),
    "latent attention, norms after": (
        {
            "attention": "latent",
            "norm_placement": "after",
            "activation_checkpointing": "selective",
            "loss": "label-smoothing",
        },
        (2,),
    ),
    "recomputed and compiled": (
        {"graph_mode": "compile", "activation_checkpointing": "full", "optimizer": "sgd"},
        (2, 1),
    ),
}


@pytest.mark.parametrize("title", DESIGNS)
def test_any_number_of_ranks_trains_as_a_plain_model(
    catalogue: Catalogue, tmp_path: Path, title: str
) -> None:
    answers, worlds = DESIGNS[title]
    reports = reports_of(catalogue, {**BASE, **answers}, worlds, tmp_path / "project")
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
    (report,) = reports_of(catalogue, answers, (4,), tmp_path / "project")
    assert report["start"]
    assert report["gradients"] < 0.03
    assert report["losses"] < 1e-3


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"pipeline.stages": 16, "parallelism.n_devices": 16, "task.n_layers": 8}, "at least one"),
        ({"pipeline.stages": 3}, "equally many devices"),
        ({"embedding": "tied"}, "a stage is given activations"),
        ({"position": "learned"}, "a stage is given activations"),
        ({"logits": "soft-capped"}, "a stage is given activations"),
        ({"vocabulary_padding": "multiple"}, "a stage is given activations"),
        ({"span": "sliding-window", "window_backend": "flex"}, "a stage is given activations"),
        ({"documents": "masked"}, "a stage is given activations"),
        ({"feed_forward": "mixture-of-experts"}, "a stage is given activations"),
        ({"tensor_parallel": "sequence-parallel"}, "a stage is given activations"),
        ({"checkpoint": "sharded"}, "a stage is given activations"),
        ({"parallelism": "hsdp"}, "a stage is given activations"),
    ],
)
def test_what_is_not_proven_is_refused(
    catalogue: Catalogue, answers: Mapping[str, Value], reason: str
) -> None:
    with pytest.raises(DesignError, match=reason):
        parse(catalogue, {**BASE, **answers})
