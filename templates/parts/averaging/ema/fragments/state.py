"""The averaged weights beside those that are trained."""


class TrainState:
    def __init__(self, model):
        # {% macro attributes() %}
        # {% print parallelism.average() %}
        # {% endmacro %}
        self.model = model

    def state_dict(self):
        return {
            # {% macro save() %}
            "model": self.average.state_dict(),
            "trained_weights": self.model.state_dict(),
            # {% endmacro %}
        }

    def load_state_dict(self, state):
        # {% macro load_model() %}
        self.average.load_state_dict(state["model"])
        # A run that had no average until here begins one with its weights.
        self.model.load_state_dict(state.get("trained_weights", state["model"]))
        # {% endmacro %}
