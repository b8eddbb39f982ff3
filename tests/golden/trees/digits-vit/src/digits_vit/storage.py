"""How a state lies in a directory: a file ``<part>.pt`` for each part of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from .durable import Manifest, save, seal


def write(directory: Path, state: Mapping[str, Any]) -> Manifest:
    """Write a state, durably; raises ``OSError`` if it cannot be written."""
    manifest = {}
    for name, value in state.items():
        path = directory / f"{name}.pt"
        save(value, path)
        manifest[path.name] = seal(path)
    return manifest


def read(directory: Path, device: torch.device) -> dict[str, Any]:
    """The state in a directory, on ``device``."""
    return {
        file.stem: torch.load(file, map_location=device, weights_only=True)
        for file in sorted(directory.glob("*.pt"))
    }


def read_model(directory: Path, device: torch.device) -> dict[str, torch.Tensor]:
    """The weights in a directory, on ``device``."""
    weights: dict[str, torch.Tensor] = torch.load(
        directory / "model.pt", map_location=device, weights_only=True
    )
    return weights
