"""Queries and keys are turned by their position."""


def settings(config):
    return {
        # {% macro settings() %}
        "rope_theta": config.rope_theta,
        # {% endmacro %}
    }
