"""One optimizer holds everything."""


def named_moments(optimizer):
    # {% macro states() %}
    optimizers = [optimizer]
    # {% endmacro %}
    return optimizers
