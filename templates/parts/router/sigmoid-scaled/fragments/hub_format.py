"""Weights that add up to a factor."""


def settings(config):
    return {
        # {% macro settings() %}
        "routed_scaling_factor": config.routed_scaling_factor,
        # {% endmacro %}
    }
