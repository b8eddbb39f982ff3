"""The load is noted for the log."""

from .expert_load import take_loads


def train_step(state):
    # {% macro after_step() %}
    state.loads = take_loads(state.model)
    # {% endmacro %}
