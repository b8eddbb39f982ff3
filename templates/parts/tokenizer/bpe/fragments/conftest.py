"""A small vocabulary."""


def model_config():
    return dict(
        # {% macro tiny() %}
        vocab_size=512,
        # {% endmacro %}
    )
