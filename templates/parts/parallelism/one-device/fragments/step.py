"""All targets of a step are on this device."""

from torch import nn


def train_step(state):
    # {% macro model() %}
    model = state.model
    # {% endmacro %}
    # {% macro targets() %}
    # {% endmacro %}
    # {% macro before_forward() %}
    # {% endmacro %}
    # {% macro clip() %}
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
    # {% endmacro %}
    return model
