"""Layers that are computed again keep as little as the estimate says, and learn the same."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from live_bytes import peak_bytes
from model_package import import_model
from torch import Tensor

from scaffold.catalogue import Catalogue
from scaffold.design import Value

ROWS = 2
# Sizes at which activations are most of what is alive. LayerNorm, because RMSNorm is no fused
# operation on a CPU and keeps more than it does on a GPU.
SIZES: Mapping[str, Value] = {
    "task.dim": 128,
    "task.n_heads": 4,
    "task.n_layers": 8,
    "task.max_seq_len": 256,
    "training.micro_batch_size": ROWS,
    "normalization": "layer-norm",
    "data.text": "builtin",
    "precision": "float32",
}
DESIGNS: Mapping[str, Mapping[str, Value]] = {
    "default": {},
    "experts": {"feed_forward": "mixture-of-experts"},
    "hybrid": {"mixer": "hybrid"},
    "large vocabulary": {"tokenizer": "bpe", "tokenizer.vocab_size": 8000},
}


def peak_and_estimate(
    catalogue: Catalogue, folder: Path, kind: str, design: str
) -> tuple[int, int]:
    """Bytes of activations in a micro-batch: the most that were alive, and the estimate."""
    package = f"{design.replace(' ', '_')}_{kind}"
    answers = {**SIZES, **DESIGNS[design], "activation_checkpointing": kind}
    made = import_model(catalogue, folder, package, answers)
    model = made.build()
    if kind != "none":
        recomputation: Any = importlib.import_module(f"{package}.recomputation")
        recomputation.recompute_layers(model.layers)
    objective: Any = importlib.import_module(f"{package}.objective")
    data: Any = importlib.import_module(f"{package}.data")
    tokens = torch.randint(200, (ROWS, model.config.max_seq_len))
    for weight in model.parameters():
        weight.grad = torch.zeros_like(weight)
    existing: list[Tensor] = [tokens, *model.parameters(), *model.buffers()]
    existing += [weight.grad for weight in model.parameters() if weight.grad is not None]
    peak = peak_bytes(
        lambda: objective.summed_loss(model, data.Batch(tokens, tokens)).backward(), existing
    )
    return peak, made.estimates.activation_bytes


@pytest.mark.parametrize("design", DESIGNS)
def test_memory_is_less_by_what_the_estimate_says(
    catalogue: Catalogue, tmp_path: Path, design: str
) -> None:
    found = {
        kind: peak_and_estimate(catalogue, tmp_path, kind, design)
        for kind in ("none", "selective", "full")
    }
    whole, whole_estimate = found.pop("none")
    for kind, (peak, estimate) in found.items():
        # The estimate of a loss leaves a table of logits out, and gradients on their way.
        assert 0.8 < peak / estimate < 1.5, kind
        assert 0.65 < (whole - peak) / (whole_estimate - estimate) < 1.2, kind
    assert found["full"][0] < found["selective"][0] < 0.85 * whole
