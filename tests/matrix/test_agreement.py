"""Precision, graph mode and parallelism change how a loss is computed, not what it is."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from rendering import render_answers
from runs import Project, prepare_project

from scaffold.catalogue import Catalogue
from scaffold.design import Value

STEPS = 20
REFERENCE: Mapping[str, Value] = {
    "task": "language-model",
    "task.dim": 32,
    "task.n_layers": 2,
    "task.n_heads": 4,
    "task.max_seq_len": 64,
    "precision": "float32",
    "graph_mode": "eager",
    "parallelism": "one-device",
    "training.steps": STEPS,
    "training.batch_size": 8,
    "training.micro_batch_size": 2,
    "training.eval_every": STEPS,
    "training.eval_samples": 16,
    "training.log_every": 1,
}

pytestmark = pytest.mark.matrix


def train(catalogue: Catalogue, answers: Mapping[str, Value], folder: Path, *over: str) -> Project:
    """Write, prepare and train a design."""
    project = prepare_project(render_answers(catalogue, answers), folder)
    project.train("train.run_dir=run", *over)
    return project


def losses(project: Project) -> list[float]:
    """The losses of all steps, then the validation losses."""
    log = project.log("run")
    found = [entry[name] for name in ("loss", "val_loss") for entry in log if name in entry]
    assert len(found) == STEPS + 2
    return found


@pytest.fixture(scope="module")
def reference(
    catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, list[float]]:
    """float32, eager, one process: for each optimizer the losses to agree with."""
    return {
        optimizer: losses(
            train(catalogue, {**REFERENCE, "optimizer": optimizer}, tmp_path_factory.mktemp("ref"))
        )
        for optimizer in ("adamw", "muon")
    }


ADAMW: dict[str, Value] = {"optimizer": "adamw"}
MUON: dict[str, Value] = {"optimizer": "muon"}
TWO_RANKS: dict[str, Value] = {"parallelism": "ddp", "parallelism.n_devices": 2}
# Relative to a loss near 5.5, after up to 20 updates: half precision rounds each product to 8 bits
# (bfloat16) or 11 (float16); the scaler of float16 may also leave out a step. Another order of the
# same float32 sums differs in the last of 24 bits, which the updates amplify; Muon's iteration is
# in bfloat16 by its design, so it amplifies more.
TOLERANCES: Mapping[str, tuple[dict[str, Value], float]] = {
    "bfloat16": (ADAMW | {"precision": "bfloat16"}, 5e-3),
    "float16": (ADAMW | {"precision": "float16"}, 5e-3),
    "compile": (ADAMW | {"graph_mode": "compile"}, 1e-4),
    "two ranks": (ADAMW | TWO_RANKS, 1e-4),
    "bfloat16, Muon": (MUON | {"precision": "bfloat16"}, 1e-2),
    "float16, Muon": (MUON | {"precision": "float16"}, 1e-2),
    "two ranks, Muon": (MUON | TWO_RANKS, 1e-3),
}


@pytest.mark.parametrize("case", TOLERANCES)
def test_losses_agree_with_float32_eager_on_one_device(
    catalogue: Catalogue, reference: Mapping[str, list[float]], tmp_path: Path, case: str
) -> None:
    changed, tolerance = TOLERANCES[case]
    traced = ["train.compile_backend=aot_eager"] if "graph_mode" in changed else []
    found = losses(train(catalogue, {**REFERENCE, **changed}, tmp_path, *traced))
    assert found == pytest.approx(reference[str(changed["optimizer"])], rel=tolerance)


@pytest.mark.skipif(
    shutil.which("g++") is None, reason="the inductor compiler needs a C++ compiler"
)
def test_losses_of_compiled_kernels_agree_with_eager(
    catalogue: Catalogue, reference: Mapping[str, list[float]], tmp_path: Path
) -> None:
    answers = {**REFERENCE, "optimizer": "adamw", "graph_mode": "compile"}
    found = losses(train(catalogue, answers, tmp_path))
    assert found == pytest.approx(reference["adamw"], rel=1e-4)
