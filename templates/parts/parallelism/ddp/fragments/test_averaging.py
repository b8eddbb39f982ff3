"""Weights are whole on every rank."""


def copied(weights):
    # {% macro copied() %}
    return {name: weight.detach().clone() for name, weight in weights.items()}
    # {% endmacro %}
