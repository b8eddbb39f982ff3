"""A multiple that hardly any vocabulary is of."""


def model_config():
    return dict(
        # {% macro tiny() %}
        vocab_multiple=98,
        # {% endmacro %}
    )
