"""The model is saved as it is trained."""


class TrainState:
    def state_dict(self):
        return {
            # {% macro save() %}
            "model": self.model.state_dict(),
            # {% endmacro %}
        }

    def load_state_dict(self, state):
        # {% macro load_model() %}
        self.model.load_state_dict(state["model"])
        # {% endmacro %}
