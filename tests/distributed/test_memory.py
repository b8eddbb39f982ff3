"""What a rank of a sharded run holds at most is what the design says."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from live_bytes import live_bytes
from plans import Plan, run
from rendering import render_answers, write_tree

from scaffold.catalogue import Catalogue
from scaffold.design import Value

# Layers and what is outside of them take their turns at being the larger part.
SIZES: Mapping[str, tuple[int, int, int, str, int]] = {
    "deep": (8, 128, 260, "tied", 8),
    "many words": (4, 128, 4000, "untied", 8),
    "long": (4, 96, 260, "tied", 64),
}


def peak_of_a_step(plan: Plan) -> int:
    """Bytes of live tensors at most, in a step that is not the first."""
    state = plan.state()
    plan.step(state, seed=0)
    moments = [value for own in state.optimizer.state.values() for value in own.values()]
    rank = int(os.environ["RANK"])
    batches = [plan.samples(number, 1, seed=1) for number in range(rank, 4, plan.n_ranks)]
    with live_bytes() as live:
        for value in (*state.model.parameters(), *state.model.buffers(), *moments):
            live.add(value)
        plan.module("step").train_step(state, batches, 1.0)
    return live.peak


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("title", SIZES)
def test_the_peak_of_a_rank_is_as_estimated(
    catalogue: Catalogue, tmp_path: Path, title: str, precision: str
) -> None:
    hold_against_a_run(catalogue, tmp_path, title, {"precision": precision})


@pytest.mark.parametrize("title", ["many words", "long"])
def test_the_peak_of_a_rank_that_has_some_heads_is_as_estimated(
    catalogue: Catalogue, tmp_path: Path, title: str
) -> None:
    answers = {"precision": "float32", "tensor_parallel": "sequence-parallel"}
    hold_against_a_run(catalogue, tmp_path, title, answers)


def test_the_peak_of_a_rank_that_has_some_tokens_is_as_estimated(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    answers = {"precision": "float32", "context_parallel": "gathered-keys"}
    hold_against_a_run(catalogue, tmp_path, "long", answers)


def hold_against_a_run(
    catalogue: Catalogue, tmp_path: Path, title: str, more: Mapping[str, Value]
) -> None:
    """Train on two ranks and compare the peak of each with what the design says."""
    n_layers, dim, vocab_size, embedding, length = SIZES[title]
    answers: Mapping[str, Value] = {
        "project.package": "project",
        "task": "language-model",
        "task.dim": dim,
        "task.n_layers": n_layers,
        "task.n_heads": 4,
        "task.max_seq_len": length,
        "tokenizer": "bpe",
        "tokenizer.vocab_size": vocab_size,
        "embedding": embedding,
        "parallelism": "fsdp",
        "training.micro_batch_size": 1,
        **more,
    }
    rendering = render_answers(catalogue, answers)
    write_tree(rendering.tree, tmp_path / "project")
    plan = Plan(tmp_path / "project", "project", n_ranks=2)
    for peak in run(plan, peak_of_a_step, tmp_path / "run"):
        assert peak == pytest.approx(rendering.plan.estimates.training_bytes, rel=0.12)
