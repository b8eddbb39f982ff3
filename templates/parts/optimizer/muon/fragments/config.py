"""The optimizers' run-time values."""

from collections.abc import Iterator
from dataclasses import dataclass


# {% macro config_class() %}
LARGEST_RATE = 10.0  # of learning or decay; nothing is learned beyond it


@dataclass(frozen=True)
class OptimizerConfig:
    """Muon for the matrices inside the layers, AdamW for the rest."""

    muon_learning_rate: float  # at the peak of the schedule
    muon_momentum: float
    learning_rate: float  # of AdamW, at the peak of the schedule
    weight_decay: float  # of weight matrices only
    beta1: float  # of AdamW
    beta2: float

    def problems(self) -> Iterator[str]:
        for name, rate in (
            ("muon_learning_rate", self.muon_learning_rate),
            ("learning_rate", self.learning_rate),
        ):
            if not 0 < rate <= LARGEST_RATE:
                yield f"optimizer.{name} = {rate}: must be above 0, and at most {LARGEST_RATE:g}"
        if not 0 <= self.weight_decay <= LARGEST_RATE:
            yield (
                f"optimizer.weight_decay = {self.weight_decay}: must be in [0, {LARGEST_RATE:g}];"
                " 0 is none"
            )
        for name, decay in (
            ("muon_momentum", self.muon_momentum),
            ("beta1", self.beta1),
            ("beta2", self.beta2),
        ):
            if not 0 <= decay < 1:
                yield f"optimizer.{name} = {decay}: must be in [0, 1)"


# {% endmacro %}
