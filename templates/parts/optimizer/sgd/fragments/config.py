"""The optimizer's run-time values."""

from collections.abc import Iterator
from dataclasses import dataclass


# {% macro config_class() %}
LARGEST_RATE = 10.0  # of learning or decay; nothing is learned beyond it


@dataclass(frozen=True)
class OptimizerConfig:
    """SGD with Nesterov momentum."""

    learning_rate: float  # at the peak of the schedule
    weight_decay: float  # of weight matrices only
    momentum: float

    def problems(self) -> Iterator[str]:
        if not 0 < self.learning_rate <= LARGEST_RATE:
            yield (
                f"optimizer.learning_rate = {self.learning_rate}: must be above 0 and at most"
                f" {LARGEST_RATE:g}"
            )
        if not 0 <= self.weight_decay <= LARGEST_RATE:
            yield (
                f"optimizer.weight_decay = {self.weight_decay}: must be in [0, {LARGEST_RATE:g}];"
                " 0 is none"
            )
        if not 0 < self.momentum < 1:
            yield f"optimizer.momentum = {self.momentum}: must be in (0, 1)"


# {% endmacro %}
