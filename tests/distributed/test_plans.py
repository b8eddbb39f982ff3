"""Every plan trains as one process does, whatever the model and the optimizer are made of."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from plans import Plan, collectives_of_muon, meshes, refusal, run, three_steps
from rendering import Given, render_answers, write_tree
from torch.testing import assert_close

from scaffold.catalogue import Catalogue
from scaffold.design import Value

TEXT: Mapping[str, Value] = {
    "task": "language-model",
    "task.dim": 32,
    "task.n_layers": 2,
    "task.n_heads": 4,
    "task.max_seq_len": 32,
    "precision": "float32",
}
IMAGES: Mapping[str, Value] = {
    "task": "image-classification",
    "task.dim": 32,
    "task.n_layers": 2,
    "task.n_heads": 4,
    "precision": "float32",
}
EXPERTS: Mapping[str, Value] = {
    "feed_forward": "mixture-of-experts",
    "feed_forward.n_experts": 4,
    "feed_forward.hidden_dim": 24,
}
LATENT: Mapping[str, Value] = {
    "attention": "latent",
    "attention.kv_lora_rank": 24,
    "attention.qk_nope_head_dim": 8,
    "attention.qk_rope_head_dim": 4,
    "attention.v_head_dim": 8,
}
DESIGNS: Mapping[str, Given] = {
    "latent attention, experts with biases, Muon": {
        **TEXT,
        **EXPERTS,
        **LATENT,
        "balance": "bias",
        "leading_layers": "dense",
        "embedding": "untied",
        "optimizer": "muon",
    },
    "windows, documents, experts with a loss, an average": {
        **TEXT,
        **EXPERTS,
        "balance": "auxiliary-loss",
        "span": "alternating",
        "span.window": 8,
        "documents": "masked",
        "averaging": "ema",
    },
    "biases, learned positions, SGD": {
        **TEXT,
        "attention": "multi-head",
        "position": "learned",
        "projection_bias": "all",
        "normalization": "biased-layer-norm",
        "feed_forward": "gelu",
        "optimizer": "sgd",
    },
    "soft caps, norms on both sides": {
        **TEXT,
        "scores": "soft-capped",
        "logits": "soft-capped",
        "norm_placement": "around",
    },
    "linear biases, several queries to a key": {**TEXT, "position": "alibi"},
    "state space": {
        "task": "language-model",
        "task.dim": 32,
        "task.n_layers": 2,
        "task.max_seq_len": 32,
        "precision": "float32",
        "mixer": "state-space",
    },
    "state space with attention": {**TEXT, "mixer": "hybrid"},
    "images": IMAGES,
    "compiled": {**TEXT, "graph_mode": "compile", "graph_mode.compile_backend": "aot_eager"},
}


def written(catalogue: Catalogue, folder: Path, package: str, answers: Given) -> Plan:
    """The project of a design on disk."""
    named: dict[str, Value] = {"project.package": package, **answers}
    rendering = render_answers(catalogue, named)
    write_tree(rendering.tree, folder / package)
    return Plan(folder / package, package)


def with_ranks(plan: Plan, n_ranks: int, *values: str) -> Plan:
    return Plan(plan.folder, plan.package, n_ranks, values)


def assert_same_training(many: dict[str, Any], one: dict[str, Any], tolerance: float) -> None:
    """The same weights, and, to the last rounded bits, the same steps and evaluation."""
    assert many["names"] == one["names"]
    assert_close(many["start"], one["start"], rtol=0, atol=0)
    difference = many["gradient"] - one["gradient"]
    assert difference.norm() < tolerance * one["gradient"].norm()
    for name in ("losses", "norms", "evaluation"):
        assert_close(many[name], one[name], rtol=10 * tolerance, atol=10 * tolerance)
    # Adam divides by the root of the squared gradient: where that is next to nothing, its rounding
    # decides.
    start, end, other = (
        torch.cat([weight.double().flatten() for weight in weights.values()])
        for weights in (one["start"], one["weights"], many["weights"])
    )
    assert (other - end).norm() < 300 * tolerance * (end - start).norm()


@pytest.mark.parametrize("title", DESIGNS)
def test_shards_on_two_ranks_train_as_one_process(
    catalogue: Catalogue, tmp_path: Path, title: str
) -> None:
    answers = DESIGNS[title]
    alone = written(catalogue, tmp_path, "alone", {**answers, "parallelism": "one-device"})
    sharded = written(catalogue, tmp_path, "sharded", {**answers, "parallelism": "fsdp"})
    (one,) = run(alone, three_steps, tmp_path / "one")
    first, second = run(with_ranks(sharded, 2), three_steps, tmp_path / "two")
    assert_same_training(first, one, 1e-5)
    assert_same_training(second, first, 1e-30)


@pytest.mark.parametrize("title", ["biases, learned positions, SGD", "state space with attention"])
def test_two_copies_of_two_shards_train_as_one_process(
    catalogue: Catalogue, tmp_path: Path, title: str
) -> None:
    answers = DESIGNS[title]
    alone = written(catalogue, tmp_path, "alone", {**answers, "parallelism": "one-device"})
    sharded = written(catalogue, tmp_path, "sharded", {**answers, "parallelism": "hsdp"})
    (one,) = run(alone, three_steps, tmp_path / "one")
    plan = with_ranks(sharded, 4, "train.shard_ranks=2")
    for many in run(plan, three_steps, tmp_path / "four"):
        assert_same_training(many, one, 1e-5)


@pytest.mark.parametrize(
    ("precision", "tolerance", "design"),
    [
        ("bfloat16", 2e-2, TEXT),
        ("float16", 4e-3, TEXT),
        ("bfloat16", 2e-2, DESIGNS["state space with attention"]),
    ],
)
def test_gathered_in_fewer_bits_is_as_exact_as_autocast(
    catalogue: Catalogue, tmp_path: Path, precision: str, tolerance: float, design: Given
) -> None:
    """Both against float32: the error of the gradient, which is that of the format."""
    gradients = {}
    for plan, kind in (("one-device", "float32"), ("one-device", precision), ("fsdp", precision)):
        package = f"{plan}_{kind}".replace("-", "_")
        answers = {**design, "parallelism": plan, "precision": kind}
        project = with_ranks(written(catalogue, tmp_path, package, answers), 1 + (plan == "fsdp"))
        result = run(project, three_steps, tmp_path / f"run-{package}")[0]
        gradients[plan, kind] = result["gradient"].double()
        assert result["names"][0] == "tok_embeddings.weight"
    exact = gradients["one-device", "float32"]
    errors = {
        plan: ((gradients[plan, precision] - exact).norm() / exact.norm()).item()
        for plan in ("one-device", "fsdp")
    }
    assert errors["fsdp"] < tolerance
    assert errors["fsdp"] < 2 * errors["one-device"], errors


def test_every_parameter_is_sharded_over_one_mesh(catalogue: Catalogue, tmp_path: Path) -> None:
    answers = {**DESIGNS["state space with attention"], "parallelism": "hsdp"}
    plan = with_ranks(written(catalogue, tmp_path, "sharded", answers), 2, "train.shard_ranks=1")
    assert run(plan, meshes, tmp_path / "run") == [{("replicate", "shard")}] * 2


def test_muon_gathers_each_matrix_once(catalogue: Catalogue, tmp_path: Path) -> None:
    answers = {**TEXT, "optimizer": "muon", "parallelism": "fsdp"}
    plan = with_ranks(written(catalogue, tmp_path, "sharded", answers), 2)
    for n_matrices, n_collectives in run(plan, collectives_of_muon, tmp_path / "run"):
        assert n_collectives == n_matrices > 0


def test_ranks_that_make_no_groups_are_refused(catalogue: Catalogue, tmp_path: Path) -> None:
    plan = with_ranks(
        written(catalogue, tmp_path, "sharded", {**TEXT, "parallelism": "hsdp"}),
        2,
        "train.shard_ranks=3",
    )
    (first, _) = run(plan, refusal, tmp_path / "run")
    assert first == "train.shard_ranks = 3: must divide the 2 ranks"
