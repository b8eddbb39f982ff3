"""Two projections with a function between them."""


def settings(config):
    return {
        # {% macro activation() %}
        "activation_function": "gelu",
        # {% endmacro %}
        "n_inner": config.hidden_dim,
    }
