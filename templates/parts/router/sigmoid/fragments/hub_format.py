"""Weights that add up to 1."""


def settings(config):
    return {
        # {% macro settings() %}
        "routed_scaling_factor": 1.0,
        # {% endmacro %}
    }
