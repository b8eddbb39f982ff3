"""A stage has some of the layers."""

from .stage_state import part_of_stage


class TrainState:
    def load_state_dict(self, state):
        # {% macro own_part() %}
        state = part_of_stage(state, self.model, self.optimizer)
        # {% endmacro %}
        return state
