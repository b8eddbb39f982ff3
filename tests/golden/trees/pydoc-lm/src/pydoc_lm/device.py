"""Which device to train on, and how much of its memory is used."""

import torch

from .config import ConfigError


def select_device(name: str) -> torch.device:
    """The device called ``name``; ``auto`` takes CUDA, then Apple's MPS, then the CPU.

    Raises ``ConfigError`` if the device that was asked for is not there.
    """
    available = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if name == "auto":
        return torch.device(next(kind for kind, there in available.items() if there))
    if not available.get(name, False):
        usable = ", ".join(kind for kind, there in available.items() if there)
        raise ConfigError([f"device = {name}: not available here; use auto or {usable}"])
    return torch.device(name)


def peak_memory_bytes(device: torch.device) -> int | None:
    """The most device memory that tensors have held so far, in bytes; None if it is not counted."""
    return torch.cuda.max_memory_allocated(device) if device.type == "cuda" else None
