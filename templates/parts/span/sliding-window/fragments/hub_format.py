"""A window."""


def settings(config):
    return {
        # {% macro settings() %}
        "sliding_window": config.window,
        "max_window_layers": 0,  # from the first layer on
        # {% endmacro %}
    }
