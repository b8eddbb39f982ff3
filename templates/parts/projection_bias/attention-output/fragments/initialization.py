"""A bias of what attention gives."""


def init_weights(model):
    """Draw every weight.

    # {% macro table() %}
    biases                 0
    # {% endmacro %}
    """
    for name, weight in model.named_parameters():
        # {% macro init() %}
        if name.endswith("bias"):
            weight.zero_()
            continue
        # {% endmacro %}
        weight.fill_(len(name))
