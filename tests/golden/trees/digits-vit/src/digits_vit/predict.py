"""Classify the validation images with a trained model.

python -m digits_vit.predict [--run runs/default] [--images 5]
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch
from torch import Tensor

from .checkpoint import Checkpoints
from .config import load_config
from .console import exit_code_of
from .data import ValidationSet
from .device import select_device
from .model import ModelConfig, VisionTransformer, build_model

BATCH_SIZE = 256  # images at once


@torch.no_grad()
def predict(
    model: VisionTransformer, images: ValidationSet, device: torch.device
) -> tuple[Tensor, Tensor]:
    """Probabilities (N, n_classes) and true classes (N,) of all images, on the CPU."""
    probabilities, targets = [], []
    for first in range(0, len(images), BATCH_SIZE):
        batch = images.samples(first, min(BATCH_SIZE, len(images) - first))
        logits = model(batch.inputs.to(device))
        probabilities.append(torch.softmax(logits.float(), dim=-1).cpu())
        targets.append(batch.targets)
    return torch.cat(probabilities), torch.cat(targets)


def accuracy_table(predicted: Tensor, targets: Tensor, n_classes: int) -> str:
    """How many images (N,) of each class were recognized, as lines of text."""
    lines = ["class  images  correct  accuracy"]
    for name in range(n_classes):
        of_class = predicted[targets == name]
        lines.append(_row(str(name), int((of_class == name).sum()), len(of_class)))
    lines.append(_row("all", int((predicted == targets).sum()), len(targets)))
    return "\n".join(lines)


def _row(name: str, correct: int, images: int) -> str:
    accuracy = f"{correct / images:.1%}" if images else "n/a"
    return f"{name:>5}  {images:6}  {correct:7}  {accuracy:>8}"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the accuracy and a few predictions; exit code 2 if what was asked cannot be."""
    return exit_code_of(lambda: _classify(argv))


def _classify(argv: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(description="Classify the validation images.")
    parser.add_argument("--run", type=Path, help="folder of the run (default: train.run_dir)")
    parser.add_argument("--config", default="configs/train.yaml", help="what the run was made with")
    parser.add_argument("--checkpoint", choices=("best", "latest"), default="best")
    parser.add_argument("--images", type=int, default=5, help="predictions to print")
    parser.add_argument("--device", default="auto", help="auto, cuda, mps or cpu")
    options = parser.parse_args(argv)
    config = load_config(["--config", options.config])
    device = select_device(options.device)
    run_dir = options.run or Path(config.train.run_dir)
    checkpoints = Checkpoints(run_dir / "checkpoints", config.train.keep_last)
    model = build_model(ModelConfig(), device, seed=0)
    weights = checkpoints.load_model(options.checkpoint, asdict(model.config), device)
    model.load_state_dict(weights)
    images = ValidationSet(config.data, ModelConfig())
    probabilities, targets = predict(model.eval(), images, device)
    certainty, predicted = probabilities.max(dim=-1)
    print(accuracy_table(predicted, targets, ModelConfig().n_classes))
    for index in range(min(options.images, len(targets))):
        print(
            f"image {index}: class {int(predicted[index])} with probability"
            f" {float(certainty[index]):.1%}, in truth {int(targets[index])}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
