"""One layer with attention, then one with a state."""


def model_config():
    return dict(
        # {% macro heads() %}
        n_heads=4,
        # {% endmacro %}
        # {% macro tiny() %}
        attention_every=2,
        attention_offset=0,
        # {% endmacro %}
    )
