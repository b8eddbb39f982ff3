"""All targets of a step are on this device."""


def train_step(state):
    # {% macro model() %}
    model = state.model
    # {% endmacro %}
    # {% macro targets() %}
    # {% endmacro %}
    # {% macro before_forward() %}
    # {% endmacro %}
    # {% macro totals() %}
    # {% endmacro %}
    return model
