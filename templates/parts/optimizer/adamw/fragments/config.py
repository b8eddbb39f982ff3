"""The optimizer's run-time values."""

from collections.abc import Iterator
from dataclasses import dataclass


# {% macro config_class() %}
@dataclass(frozen=True)
class OptimizerConfig:
    """AdamW."""

    learning_rate: float  # at the peak of the schedule
    weight_decay: float  # of weight matrices only
    beta1: float
    beta2: float

    def problems(self) -> Iterator[str]:
        if not self.learning_rate > 0:
            yield f"optimizer.learning_rate = {self.learning_rate}: must be above 0"
        if not self.weight_decay >= 0:
            yield f"optimizer.weight_decay = {self.weight_decay}: must be at least 0; 0 is none"
        for name, beta in (("beta1", self.beta1), ("beta2", self.beta2)):
            if not 0 <= beta < 1:
                yield f"optimizer.{name} = {beta}: must be in [0, 1)"


# {% endmacro %}
