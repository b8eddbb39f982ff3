"""The preset ``shakespeare`` against nanoGPT's small run on the same text.

The text is ASCII, so that a byte is a character and the losses can be compared as they are. The
README of nanoGPT (https://github.com/karpathy/nanoGPT, "quick start", on a CPU) gives 1.88 for 2000
steps of 4 layers of width 128; both keep the last tenth of the text for validation.
"""

import argparse
from pathlib import Path

from benchmarks import training
from benchmarks.measure import machine, verdict

PRESET = "shakespeare"
NANOGPT = 1.88  # nats per character
GOAL = 1.60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares where the text is."""
    parser.add_argument("--text", type=Path, required=True, help="tinyshakespeare as a text file")
    training.add_arguments(parser)


def run(arguments: argparse.Namespace) -> bool:
    """Trains, and prints the loss beside nanoGPT's."""
    values = [f"data.text={arguments.text.resolve()}"]
    trained = training.train(PRESET, arguments, values)
    print(f"{PRESET}: {trained.summary()}; {machine()}")
    print(f"  nanoGPT: {NANOGPT} nats")
    return verdict("  validation loss, nats", trained.best_loss, GOAL, digits=4)
