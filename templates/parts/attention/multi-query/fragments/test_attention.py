"""One key and value head stands for all query heads."""


def test_attention(model_config, k, v):
    # {% macro share() %}
    k, v = (heads.expand(-1, model_config.n_heads, -1, -1) for heads in (k, v))
    # {% endmacro %}
    return model_config, k, v
