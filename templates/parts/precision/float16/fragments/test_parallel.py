"""How far the same sums may be apart."""

# {% macro tolerance() %}
TOLERANCE = 4e-3  # float16 keeps 11 bits
# {% endmacro %}


def three_steps(state):
    # {% macro test_state() %}
    # At its usual start, 2**16, the gradients of some models overflow, as a run soon finds out.
    state.scaler.load_state_dict(state.scaler.state_dict() | {"scale": 2.0**8})
    # {% endmacro %}
    return state
