"""A scale at which no model overflows."""


def new_state(state):
    # {% macro test_state() %}
    # At its usual start, 2**16, the gradients of some models overflow, as a run soon finds out.
    state.scaler.load_state_dict(state.scaler.state_dict() | {"scale": 2.0**5})
    # {% endmacro %}
    return state
