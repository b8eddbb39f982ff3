"""A window."""


def settings(config):
    return {
        # {% macro settings() %}
        "sliding_window": config.window,
        # {% endmacro %}
    }
