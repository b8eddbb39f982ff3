"""Narrower than the stream."""


def model_config():
    return dict(
        # {% macro tiny() %}
        q_lora_rank=12,
        # {% endmacro %}
    )
