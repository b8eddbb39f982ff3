"""No window."""


def settings(config):
    return {
        # {% macro settings() %}
        "sliding_window": None,
        # {% endmacro %}
    }
