"""Everything that must survive a restart, as one value."""

import math
from dataclasses import asdict, dataclass, field
from typing import Any

import torch

from .checkpoint import require_same_shape
from .config import TrainConfig
from .model import Model
from .rng import load_rng_state, rng_state


@dataclass
class Progress:
    """How far the run has come."""

    step: int = 0  # optimizer steps taken
    samples_seen: int = 0  # training samples drawn, those of skipped steps too
    data: str = ""  # of which data, in which order
    values: dict[str, bool | int | float | str] = field(default_factory=dict)  # of the run
    skipped_steps: int = 0  # steps left out because they were not finite
    evaluated_step: int = -1  # the last step that was evaluated
    val_loss: float = math.inf  # at evaluated_step
    best_val_loss: float = math.inf  # the lowest of all checkpoints

    def is_finished(self, values: TrainConfig) -> bool:
        """Whether no step is left to take."""
        return self.step >= values.steps

    def needs_evaluation(self, values: TrainConfig) -> bool:
        """Whether the present step is to be evaluated, and has not been."""
        is_due = self.is_finished(values) or self.step % values.eval_every == 0
        return is_due and self.evaluated_step != self.step

    def record_evaluation(self, val_loss: float) -> None:
        """Note the result at the present step."""
        self.evaluated_step, self.val_loss = self.step, val_loss

    def record_checkpoint(self) -> bool:
        """Note that the evaluated step is saved; returns whether no checkpoint was better."""
        self.best_val_loss = min(self.best_val_loss, self.val_loss)
        return self.val_loss <= self.best_val_loss


class TrainState:
    """What a step works on: the model, the optimizer and the progress of a run."""

    def __init__(
        self, model: Model, optimizer: torch.optim.Optimizer, device: torch.device
    ) -> None:
        self.model = model
        self.optimizer = optimizer
        self.device = device
        self.progress = Progress()

    def set_learning_rate(self, factor: float) -> None:
        """Give each group of parameters its rate, as a share of that at the peak."""
        for group in self.optimizer.param_groups:
            group["lr"] = group["base_lr"] * factor

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint holds."""
        return {
            "model": self.model.state_dict(),
            "rng": rng_state(self.device),
            "optimizer": self.optimizer.state_dict(),
            "hyperparameters": asdict(self.model.config),
            "progress": asdict(self.progress),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a checkpoint.

        Raises ``ConfigError`` if it was written by a model of another shape.
        """
        require_same_shape(state["hyperparameters"], asdict(self.model.config))
        self.model.load_state_dict(state["model"])
        self.progress = Progress(**state["progress"])
        load_rng_state(state["rng"], self.device)
        # The moments are the checkpoint's; learning rates, decays and the like are this run's.
        values = [
            {name: value for name, value in group.items() if name not in ("params", "lr")}
            for group in self.optimizer.param_groups
        ]
        self.optimizer.load_state_dict(state["optimizer"])
        for group, own in zip(self.optimizer.param_groups, values, strict=True):
            group.update(own)
