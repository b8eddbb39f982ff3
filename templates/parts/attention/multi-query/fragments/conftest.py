"""Nothing to make smaller."""


def model_config():
    return dict(
        # {% macro tiny() %}
        # {% endmacro %}
    )
