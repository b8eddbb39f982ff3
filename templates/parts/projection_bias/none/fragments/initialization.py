"""No biases."""


def init_weights(model):
    """Draw every weight.

    # {% macro table() %}
    # {% endmacro %}
    """
    for name, weight in model.named_parameters():
        # {% macro init() %}
        # {% endmacro %}
        weight.fill_(len(name))
