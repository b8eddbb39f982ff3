"""One layer of each kind."""


def model_config():
    return dict(
        # {% macro tiny() %}
        nope_every=2,
        # {% endmacro %}
    )
