"""A quarter of the sequence."""


def model_config():
    return dict(
        # {% macro tiny() %}
        window=8,
        # {% endmacro %}
    )
