"""The angles as they are."""


def settings(config):
    return {
        # {% macro settings() %}
        "rope_scaling": None,
        # {% endmacro %}
    }
