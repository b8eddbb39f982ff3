"""Each key and value head stands for several query heads."""


def test_attention(model_config, k, v):
    # {% macro share() %}
    group_size = model_config.n_heads // model_config.n_kv_heads
    k, v = (heads.repeat_interleave(group_size, dim=1) for heads in (k, v))
    # {% endmacro %}
    return model_config, k, v
