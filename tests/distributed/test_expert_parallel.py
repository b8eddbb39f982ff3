"""Experts that are spread over ranks have the numbers of a plain model, or a reason why not."""

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
    "feed_forward": "mixture-of-experts",
    "balance": "bias",  # which is counted over a step, however it is divided
    "parallelism": "fsdp",
    "parallelism.n_devices": 4,
    "expert_parallel": "all-to-all",
    "precision": "float32",
}
GROUPS: Mapping[str, Value] = {"expert_parallel.degree": 2}
# What else a design has, and on how many ranks it trains, one after the other: each continues the
# checkpoint of the one before.
DESIGNS: Mapping[str, tuple[Mapping[str, Value], tuple[int, ...]]] = {
    "two of four ranks in a group": ({}, (2, 4, 1)),
    "all ranks in a group": (
        {
            "expert_parallel.degree": 4,
            "tokenizer": "bpe",
            "documents": "masked",
        },
        (4,),
    ),
    "copies between machines": (
        {
            "parallelism": "hsdp",
            "router": "sigmoid",
            "leading_layers": "dense",
            "averaging": "ema",
            "activation_checkpointing": "full",
            "embedding": "untied",
        },
        (4,),
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
    assert report["losses"] < 1e-3


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"feed_forward.n_experts": 9, **GROUPS}, "equally many experts"),
        ({"parallelism.n_devices": 3, **GROUPS}, "which do not divide into them"),
        (
            {"parallelism": "hsdp", "parallelism.shard_ranks": 1, **GROUPS},
            "groups of 2 are made of the 1 devices",
        ),
        ({"feed_forward": "swiglu"}, "mixture"),
        ({"optimizer": "muon"}, "an expert is on some of the ranks"),
        ({"precision": "float16"}, "an expert is on some of the ranks"),
        ({"activation_checkpointing": "selective"}, "selected operations again"),
        ({"checkpoint": "sharded"}, "an expert is on some of the ranks"),
    ],
)
def test_what_does_not_divide_or_is_not_proven_is_refused(
    catalogue: Catalogue, answers: Mapping[str, Value], reason: str
) -> None:
    with pytest.raises(DesignError, match=reason):
        parse(catalogue, {**BASE, **answers})
