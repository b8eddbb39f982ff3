"""One set of random number generators."""

from .rng import load_rng_state, rng_state


class TrainState:
    def state_dict(self):
        return {
            # {% macro save() %}
            "rng": rng_state(self.device),
            # {% endmacro %}
        }

    def load_state_dict(self, state):
        # {% macro load() %}
        load_rng_state(state["rng"], self.device)
        # {% endmacro %}
