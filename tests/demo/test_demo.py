"""What `make demo` shows: a model that has learnt more than which bytes follow each other."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from benchmarks.demo import baseline_loss


@pytest.mark.slow
def test_the_demo_beats_a_3_gram_model_and_writes_english(repository: Path, tmp_path: Path) -> None:
    make = shutil.which("make")
    assert make is not None
    demo = tmp_path / "demo"
    result = subprocess.run(
        [make, "demo", f"DEMO={demo}"], cwd=repository, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr

    prepared = demo / "data" / "prepared"
    log = (demo / "runs" / "default" / "log.jsonl").read_text(encoding="utf-8").splitlines()
    losses = [entry["val_loss"] for entry in map(json.loads, log) if "val_loss" in entry]
    assert min(losses) < baseline_loss(prepared) - 0.1  # nats per byte

    sample = result.stdout.rpartition("The import statement")[2]  # make shows the command, too
    words = re.findall(r"[a-z]{3,}", sample.lower())
    known = set(re.findall(rb"[a-z]{3,}", (prepared / "train-00000.bin").read_bytes().lower()))
    assert len(words) > 30
    # Letters drawn at random would rarely be words of three letters or more.
    assert sum(word.encode() in known for word in words) > 0.7 * len(words)
