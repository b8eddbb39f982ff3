"""A scale of the loss at which no gradient of a small model overflows."""


def new_state(state):
    # {% macro first_scale() %}
    # One that halves itself in the first steps would leave them out, and a test with them.
    state.scaler.load_state_dict(state.scaler.state_dict() | {"scale": 2.0**8})
    # {% endmacro %}
    return state
