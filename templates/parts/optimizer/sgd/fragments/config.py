"""The optimizer's run-time values."""

from collections.abc import Iterator
from dataclasses import dataclass


# {% macro config_class() %}
@dataclass(frozen=True)
class OptimizerConfig:
    """SGD with Nesterov momentum."""

    learning_rate: float  # at the peak of the schedule
    weight_decay: float  # of weight matrices only
    momentum: float

    def problems(self) -> Iterator[str]:
        if not self.learning_rate > 0:
            yield f"optimizer.learning_rate = {self.learning_rate}: must be above 0"
        if not self.weight_decay >= 0:
            yield f"optimizer.weight_decay = {self.weight_decay}: must be at least 0; 0 is none"
        if not 0 < self.momentum < 1:
            yield f"optimizer.momentum = {self.momentum}: must be in (0, 1)"


# {% endmacro %}
