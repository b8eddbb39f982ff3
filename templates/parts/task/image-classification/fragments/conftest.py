"""Few heads."""


def model_config():
    return dict(
        # {% macro heads() %}
        n_heads=4,
        # {% endmacro %}
    )
