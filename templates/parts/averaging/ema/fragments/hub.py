"""The average begins with the imported weights, as those that are trained."""


def _import(weights):
    return {
        # {% macro trained() %}
        "trained_weights": weights,  # which the average, the model, begins with too
        # {% endmacro %}
    }
