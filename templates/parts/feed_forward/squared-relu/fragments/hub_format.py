"""Two projections with a function between them."""


def settings(config):
    return {
        # {% macro activation() %}
        "activation_function": "relu2",
        # {% endmacro %}
        "n_inner": config.hidden_dim,
    }
