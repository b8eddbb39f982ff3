"""The preset ``pydoc-lm`` against a 3-gram model with backoff, on the same split of its text."""

import argparse
import json
import math
from pathlib import Path

import numpy as np

from benchmarks import training
from benchmarks.measure import machine, verdict
from benchmarks.ngram import Bytes, ThreeGram

PRESET = "pydoc-lm"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares where to work."""
    training.add_arguments(parser)


def run(arguments: argparse.Namespace) -> bool:
    """Trains, and prints the loss beside that of the 3-gram model."""
    trained = training.train(PRESET, arguments)
    baseline = baseline_loss(trained.project / "data/prepared")
    print(f"{PRESET}: {trained.summary()}; {machine()}")
    for name, loss in (("network", trained.best_loss), ("3-gram", baseline)):
        print(f"  {name:8} {loss:.4f} nats = {loss / math.log(2):.4f} bits a byte")
    return verdict("  network / 3-gram", trained.best_loss / baseline, 1.0)


def baseline_loss(prepared: Path) -> float:
    """Mean nats of the 3-gram model over the targets that the network is measured on as well."""
    end_of_text = json.loads((prepared / "meta.json").read_text(encoding="utf-8"))["end_of_text"]
    train, validation = (_read(prepared, split) for split in ("train", "val"))
    # The first validation byte is no target; the second one also needs a byte two before it.
    text = np.concatenate([[np.uint8(end_of_text)], validation])
    losses = ThreeGram(train).losses(text)
    # What follows the end of a text belongs to another one, and is not predicted.
    return float(losses[text[1:-1] != end_of_text].mean())


def _read(prepared: Path, split: str) -> Bytes:
    """The tokens of a split, which are bytes."""
    paths = sorted(prepared.glob(f"{split}-*.bin"))
    return np.concatenate([np.fromfile(path, np.uint8) for path in paths])
