"""How long ago the validation loss was at its lowest."""

import math
from dataclasses import dataclass


@dataclass
class Progress:
    # {% macro progress_fields() %}
    gained_val_loss: float = math.inf  # of the last evaluation that was a gain
    evaluations_without_gain: int = 0  # since then
    # {% endmacro %}

    def is_finished(self, values):
        # {% macro finished() %}
        return self.step >= values.steps or self.evaluations_without_gain >= values.patience
        # {% endmacro %}

    # {% macro progress_methods() %}
    def record_gain(self, patience: int, min_delta: float) -> str:
        """Note whether the evaluation was a gain: by more than ``min_delta`` below the last one.

        Returns what to say about it.
        """
        if self.val_loss < self.gained_val_loss - min_delta:
            self.gained_val_loss, self.evaluations_without_gain = self.val_loss, 0
        else:
            self.evaluations_without_gain += 1
        said = (
            f"{self.evaluations_without_gain} of {patience} evaluations without gain on a"
            f" validation loss of {self.gained_val_loss:.4f}"
        )
        return f"{said}; the run ends" if self.evaluations_without_gain >= patience else said

    # {% endmacro %}
