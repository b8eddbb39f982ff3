"""Short sequences."""


def model_config():
    return dict(
        # {% macro tiny() %}
        max_seq_len=32,
        # {% endmacro %}
    )
