"""The state of the optimizer under the names of the parameters."""

from .moments import load_moments, named_moments


class TrainState:
    def state_dict(self):
        return {
            # {% macro save() %}
            "optimizer": named_moments(self.model, self.optimizer),
            # {% endmacro %}
        }

    def load_state_dict(self, state):
        # {% macro share() %}
        # {% endmacro %}
        # {% macro load() %}
        load_moments(self.model, self.optimizer, state["optimizer"])
        # {% endmacro %}
