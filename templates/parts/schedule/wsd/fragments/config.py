"""The schedule's run-time values."""

from collections.abc import Iterator
from dataclasses import dataclass


# {% macro config_class() %}
@dataclass(frozen=True)
class ScheduleConfig:
    """Linear warm-up, plateau, linear decay."""

    warmup_steps: int
    decay_fraction: float  # of the run, at its end
    final_ratio: float  # of the rate at the end, after the last step, to the peak

    def problems(self) -> Iterator[str]:
        if self.warmup_steps < 0:
            yield f"schedule.warmup_steps = {self.warmup_steps}: must be at least 0; 0 is none"
        if not 0 <= self.decay_fraction <= 1:
            yield f"schedule.decay_fraction = {self.decay_fraction}: must be in [0, 1]"
        if not 0 <= self.final_ratio <= 1:
            yield f"schedule.final_ratio = {self.final_ratio}: must be in [0, 1]"


# {% endmacro %}
