"""How long the ranks wait for one another."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TrainConfig:
    # {% macro train_fields() %}
    timeout_minutes: float  # that a rank waits for the others before it gives up
    # {% endmacro %}

    def problems(self):
        # {% macro train_problems() %}
        if not self.timeout_minutes > 0:
            yield f"train.timeout_minutes = {self.timeout_minutes}: must be above 0"
        # {% endmacro %}
