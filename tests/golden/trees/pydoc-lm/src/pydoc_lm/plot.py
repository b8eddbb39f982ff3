"""Draw the loss curves of a run.

python -m pydoc_lm.plot runs/default
"""

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .config import ConfigError
from .console import exit_code_of
from .metrics import Entry, read_log
from .run_dir import LOG_NAME

CURVES = {"loss": "training", "val_loss": "validation"}


def plot_losses(run_dir: Path) -> Path | None:
    """Draw the losses in nats per target over the steps into ``loss.png``, beside the log.

    Returns where the picture is, or None if the log holds no loss.
    """
    entries = read_log(run_dir)
    # Drawn without pyplot, which would look for a window system and keep every figure alive.
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(xlabel="step", ylabel="loss (nats per target)")
    for name, label in CURVES.items():
        steps, values = _curve(entries, name)
        if steps:
            axes.plot(steps, values, label=label, marker="." if name == "val_loss" else "")
    if not axes.lines:
        return None
    axes.grid(alpha=0.3)
    axes.legend()
    path = run_dir / "loss.png"
    figure.savefig(path, dpi=120)
    return path


def _curve(entries: Sequence[Entry], name: str) -> tuple[list[int], list[float]]:
    steps, values = [], []
    for entry in entries:
        value = entry.metrics.get(name)
        if value is not None and math.isfinite(value):
            steps.append(entry.step)
            values.append(value)
    return steps, values


def main(argv: Sequence[str] | None = None) -> int:
    """Draw the run named on the command line and print where the picture is."""
    return exit_code_of(lambda: _plot(argv))


def _plot(argv: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(prog="plot", description="Draw the loss curves of a run.")
    parser.add_argument("run_dir", type=Path, help="the folder of the run, which holds its log")
    run_dir = parser.parse_args(argv).run_dir
    picture = plot_losses(run_dir)
    if picture is None:
        raise ConfigError([f"{run_dir / LOG_NAME}: holds no loss; train for a few steps first"])
    print(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
