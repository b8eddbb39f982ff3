"""No loss is scaled."""


def new_state(state):
    # {% macro first_scale() %}
    # {% endmacro %}
    return state
