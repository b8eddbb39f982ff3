"""On a GPU: bfloat16 and compiled kernels train, fit the estimate, and report their speed."""

from collections.abc import Callable

import pytest
import torch
from rendering import Given, Rendering
from runs import Project, prepare_project

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device"),
]
STEPS = 60


@pytest.fixture(scope="module")
def run(
    render_design: Callable[[Given], Rendering], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Rendering, Project]:
    """A 100-million-parameter model, trained for a few steps."""
    rendering = render_design(
        {
            "task": "language-model",
            "task.dim": 768,
            "task.n_layers": 12,
            "task.n_heads": 12,
            "task.max_seq_len": 1024,
            "precision": "bfloat16",
            "graph_mode": "compile",
            "parallelism": "one-device",
            "training.steps": STEPS,
            "training.batch_size": 32,
            "training.micro_batch_size": 16,
            "training.eval_every": STEPS,
            "training.eval_samples": 32,
        }
    )
    project = prepare_project(rendering, tmp_path_factory.mktemp("gpu"))
    project.train("train.device=cuda")
    return rendering, project


def test_the_loss_falls(run: tuple[Rendering, Project]) -> None:
    losses = [entry["loss"] for entry in run[1].log("runs/default") if "loss" in entry]
    assert losses[-1] < losses[0] - 1


def test_memory_is_near_the_estimate(run: tuple[Rendering, Project]) -> None:
    rendering, project = run
    peak = max(entry.get("memory_gb", 0.0) for entry in project.log("runs/default")) * 1e9
    estimate = rendering.plan.estimates.training_bytes
    assert 0.5 * estimate < peak < 1.5 * estimate


def test_speed_is_reported(
    run: tuple[Rendering, Project], capsys: pytest.CaptureFixture[str]
) -> None:
    last = [entry for entry in run[1].log("runs/default") if "tokens_per_s" in entry][-1]
    with capsys.disabled():
        name = torch.cuda.get_device_name()
        mfu = "n/a" if last["mfu"] is None else f"{last['mfu']:.1%}"
        print(f"\n{name}: {last['tokens_per_s']:,.0f} tokens/s, MFU {mfu}")
    assert last["tokens_per_s"] > 0
    if name in ("NVIDIA H200", "NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB"):
        assert last["mfu"] > 0.2  # a fault of the formula or the peak would show as 10 times less
