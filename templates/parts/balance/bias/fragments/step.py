"""The biases follow the load of each step that counts."""

from .balance import shift_biases
from .expert_load import take_loads


def train_step(state, finite):
    # {% macro after_step() %}
    state.loads = take_loads(state.model)
    if finite:
        shift_biases(state.model, state.loads)
    # {% endmacro %}
