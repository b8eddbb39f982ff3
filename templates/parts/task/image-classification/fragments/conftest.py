"""Images are small as they are."""


def model_config():
    return dict(
        # {% macro tiny() %}
        # {% endmacro %}
    )
