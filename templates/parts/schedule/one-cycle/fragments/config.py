"""The schedule's run-time values."""

from collections.abc import Iterator
from dataclasses import dataclass


# {% macro config_class() %}
@dataclass(frozen=True)
class ScheduleConfig:
    """Half a cosine up, then half a cosine down."""

    warmup_steps: int
    start_ratio: float  # of the first step's learning rate to the peak
    final_ratio: float  # of the last step's learning rate to the peak

    def problems(self) -> Iterator[str]:
        if self.warmup_steps < 0:
            yield f"schedule.warmup_steps = {self.warmup_steps}: must be at least 0; 0 is none"
        if not 0 < self.start_ratio <= 1:
            yield f"schedule.start_ratio = {self.start_ratio}: must be above 0, and at most 1"
        if not 0 <= self.final_ratio <= 1:
            yield f"schedule.final_ratio = {self.final_ratio}: must be in [0, 1]"


# {% endmacro %}
