"""What `make demo` shows: a model that has learnt more than which bytes follow each other."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from ngram import BackoffModel
from rendering import Given, Rendering, preset_answers
from runs import prepare_project


@pytest.mark.slow
def test_the_demo_beats_a_3_gram_model_and_writes_english(
    render_design: Callable[[Given], Rendering], tmp_path: Path
) -> None:
    project = prepare_project(render_design(preset_answers("pydoc-lm")), tmp_path)
    project.train()

    tokens = tmp_path / "data" / "prepared"
    train, val = ((tokens / f"{part}-00000.bin").read_bytes() for part in ("train", "val"))
    losses = [entry["val_loss"] for entry in project.log("runs/default") if "val_loss" in entry]
    assert min(losses) < BackoffModel(train, order=3).loss(val) - 0.1  # nats per byte

    sample = project.python("-m", f"{project.package}.generate", "The ", "--tokens", "400")
    assert sample.returncode == 0, sample.stderr
    words = re.findall(r"[a-z]{3,}", sample.stdout.lower())
    known = set(re.findall(rb"[a-z]{3,}", train.lower()))
    assert len(words) > 30
    # Letters drawn at random would rarely be words of three letters or more.
    assert sum(word.encode() in known for word in words) > 0.7 * len(words)
