"""One set of random number generators."""

import copy

from .rng import load_rng_state, rng_state


class TrainState:
    def __init__(self, model):
        # {% macro average() %}
        self.average = copy.deepcopy(model).requires_grad_(False)  # evaluated and used
        # {% endmacro %}

    def state_dict(self):
        return {
            # {% macro save() %}
            "rng": rng_state(self.device),
            # {% endmacro %}
        }

    def load_state_dict(self, state):
        # {% macro share() %}
        # {% endmacro %}
        # {% macro load() %}
        load_rng_state(state["rng"], self.device)
        # {% endmacro %}
