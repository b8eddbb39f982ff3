"""Every head has keys and values of its own."""


def test_attention(model_config, k, v):
    # {% macro share() %}
    # {% endmacro %}
    return model_config, k, v
