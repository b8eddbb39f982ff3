"""Run in a trained project: the loss of its checkpoints over the whole validation split, as JSON.

python validation.py PACKAGE [group.key=value ...]
"""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import torch

BATCH_SIZE = 32


def main(package: str, values: list[str]) -> None:
    """Prints one JSON object with the fields of ``training.Trained`` that come from here."""
    config = _module(package, "config").load_config(values)
    model_module = _module(package, "model")
    model_config = model_module.ModelConfig()
    device = _module(package, "device").select_device(config.train.device)
    model = model_module.build_model(model_config, device, config.train.seed).eval()
    validation = _module(package, "data").ValidationSet(config.data, model_config)
    checkpoints = _module(package, "checkpoint").Checkpoints(
        Path(config.train.run_dir) / "checkpoints", config.train.keep_last
    )
    losses = {}
    targets = 0
    for which in ("best", "latest"):
        model.load_state_dict(checkpoints.load_model(which, device))
        losses[which], targets = _loss(package, model, validation, device)
    tokens = config.train.steps * config.train.batch_size * model_config.tokens_per_sample
    result = {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "steps": config.train.steps,
        "tokens": tokens,
        "targets": targets,
        "best_loss": losses["best"],
        "last_loss": losses["latest"],
    }
    print(json.dumps(result))


@torch.no_grad()
def _loss(package: str, model: Any, validation: Any, device: torch.device) -> tuple[float, int]:
    """Mean loss in nats, in the precision of the weights, and the number of targets."""
    evaluate_batch = _module(package, "objective").evaluate_batch
    loss, targets = 0.0, 0
    for first in range(0, len(validation), BATCH_SIZE):
        sums = evaluate_batch(model, validation.samples(first, BATCH_SIZE).to(device))
        loss += float(sums["loss"])
        targets += int(sums["targets"])
    return loss / targets, targets


def _module(package: str, name: str) -> Any:
    return importlib.import_module(f"{package}.{name}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
