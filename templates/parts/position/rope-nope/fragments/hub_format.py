"""Queries and keys of most layers are turned by their position."""


def settings(config):
    return {
        # {% macro settings() %}
        "rope_theta": config.rope_theta,
        # {% endmacro %}
    }
