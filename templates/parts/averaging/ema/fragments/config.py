"""How long the average is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TrainConfig:
    # {% macro train_fields() %}
    ema_decay: float  # share of the averaged weights that stays in a step
    # {% endmacro %}

    def problems(self):
        # {% macro train_problems() %}
        if not 0 <= self.ema_decay < 1:
            yield f"train.ema_decay = {self.ema_decay}: must be in [0, 1); 0 averages nothing"
        # {% endmacro %}
