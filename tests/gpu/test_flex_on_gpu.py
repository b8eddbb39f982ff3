"""On a GPU: models whose attention is FlexAttention train, eager and compiled."""

from collections.abc import Callable, Mapping

import pytest
import torch
from rendering import Given, Rendering
from runs import prepare_project

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device"),
]
STEPS = 60
DESIGN: Given = {
    "task": "language-model",
    "task.dim": 256,
    "task.n_layers": 4,
    "task.n_heads": 4,
    "task.max_seq_len": 512,
    "span": "alternating",
    "span.global_every": 2,
}
USES: Mapping[str, Given] = {
    "documents": {"documents": "masked", "attention_backend": "flex"},
    "windows": {"window_backend": "flex"},
    "bounded scores": {"scores": "soft-capped", "attention": "latent"},
    "bounded scores of documents": {"scores": "soft-capped", "documents": "masked"},
}


@pytest.mark.parametrize("graph_mode", ["eager", "compile"])
@pytest.mark.parametrize("use", USES)
def test_the_loss_falls(
    render_design: Callable[[Given], Rendering],
    tmp_path_factory: pytest.TempPathFactory,
    graph_mode: str,
    use: str,
) -> None:
    rendering = render_design(
        {
            **DESIGN,
            **USES[use],
            "precision": "bfloat16",
            "graph_mode": graph_mode,
            "parallelism": "one-device",
            "training.steps": STEPS,
            "training.batch_size": 32,
            "training.eval_every": STEPS,
            "training.eval_samples": 33,
        }
    )
    project = prepare_project(rendering, tmp_path_factory.mktemp("flex"))
    project.train("train.device=cuda")
    losses = [entry["loss"] for entry in project.log("runs/default") if "loss" in entry]
    assert losses[-1] < losses[0] - 1
