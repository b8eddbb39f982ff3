"""A window in most layers."""


def settings(config):
    return {
        # {% macro settings() %}
        "sliding_window": config.window,
        "layer_types": [
            "full_attention" if config.is_global(layer) else "sliding_attention"
            for layer in range(config.n_layers)
        ],
        # {% endmacro %}
    }
