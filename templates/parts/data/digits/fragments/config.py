"""How the digits are split and varied."""

from collections.abc import Iterator
from dataclasses import dataclass


# {% macro config_class() %}
@dataclass(frozen=True)
class DataConfig:
    """Which digits to train on, and how they are varied."""

    val_fraction: float
    shift_pixels: int

    def problems(self) -> Iterator[str]:
        """Every value that cannot work: field, value, limit and remedy."""
        if not 0 < self.val_fraction < 1:
            yield f"data.val_fraction = {self.val_fraction}: must lie between 0 and 1, such as 0.2"
        if self.shift_pixels < 0:
            yield f"data.shift_pixels = {self.shift_pixels}: must be at least 0; 0 moves nothing"


# {% endmacro %}
