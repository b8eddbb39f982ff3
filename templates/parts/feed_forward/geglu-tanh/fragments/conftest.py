"""Narrow."""


def model_config():
    return dict(
        # {% macro tiny() %}
        hidden_dim=48,
        # {% endmacro %}
    )
