"""One layer of each kind."""


def model_config():
    return dict(
        # {% macro tiny() %}
        window=8,
        global_every=2,
        # {% endmacro %}
    )
