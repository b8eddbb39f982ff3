"""One layer of two, and narrow."""


def model_config():
    return dict(
        # {% macro tiny() %}
        n_dense_layers=1,
        dense_hidden_dim=40,
        # {% endmacro %}
    )
