"""How long to wait for a gain."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TrainConfig:
    # {% macro train_fields() %}
    patience: int  # evaluations in a row without gain after which training ends
    min_delta: float  # nats; a smaller fall of the validation loss is no gain
    # {% endmacro %}

    def problems(self):
        # {% macro train_problems() %}
        if self.patience < 1:
            yield f"train.patience = {self.patience}: must be at least 1"
        if not self.min_delta >= 0:
            yield f"train.min_delta = {self.min_delta}: must be at least 0, where any fall counts"
        # {% endmacro %}
