"""What many choices add to one function, all at once."""

from pathlib import Path

import pytest
from rendering import Given, render_answers
from runs import write_project

from scaffold.catalogue import Catalogue

EVERYTHING: Given = {
    "task": "language-model",
    "averaging": "ema",
    "early_stopping": "patience",
    "parallelism": "ddp",
    "tokenizer": "bpe",
    "hub": "hugging-face",
    "documents": "masked",
    "tracking": "tensorboard",
    "activation_checkpointing": "full",
    "spikes": "skip",
}


@pytest.mark.parametrize(
    "more", [{"graph_mode": "compile"}, {"feed_forward": "mixture-of-experts"}], ids=["c", "e"]
)
def test_no_function_grows_beyond_what_the_linter_allows(
    catalogue: Catalogue, tmp_path: Path, more: Given
) -> None:
    """Pairs of choices are linted elsewhere: the loop has the sum of all."""
    project = write_project(render_answers(catalogue, {**EVERYTHING, **more}), tmp_path)
    result = project.python("-m", "ruff", "check", ".")
    assert result.returncode == 0, result.stdout
