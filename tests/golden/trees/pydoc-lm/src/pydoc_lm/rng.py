"""Random number generators: seeded once, saved and restored with the run."""

import random
from typing import Any

import numpy as np
import torch


def seed_everything(seed: int, deterministic: bool) -> None:
    """Seed Python, NumPy and torch on every device; optionally refuse operations that vary."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    if deterministic:
        torch.use_deterministic_algorithms(True)
        torch.backends.cudnn.benchmark = False


def rng_state(device: torch.device) -> dict[str, Any]:
    """The state of every generator, in types that ``torch.load(weights_only=True)`` accepts."""
    numpy_state = np.random.get_state(legacy=False)
    key = torch.from_numpy(numpy_state["state"]["key"].astype(np.int64))
    state: dict[str, Any] = {
        "python": random.getstate(),
        "numpy": {**numpy_state, "state": {**numpy_state["state"], "key": key}},
        "torch": torch.get_rng_state(),
    }
    if device.type == "cuda":
        state["cuda"] = torch.cuda.get_rng_state(device)
    return state


def load_rng_state(state: dict[str, Any], device: torch.device) -> None:
    """Continue every generator from where ``rng_state`` found it."""
    version, internal, gauss = state["python"]
    random.setstate((version, tuple(internal), gauss))
    key = state["numpy"]["state"]["key"].cpu().numpy().astype(np.uint32)
    np.random.set_state({**state["numpy"], "state": {**state["numpy"]["state"], "key": key}})
    torch.set_rng_state(state["torch"].cpu())
    if device.type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(state["cuda"].cpu(), device)
