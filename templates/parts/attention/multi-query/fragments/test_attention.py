"""One key and value head stands for all query heads."""


def test_attention(model_config, attention, x):
    # {% macro project() %}
    head_dim = model_config.head_dim
    q = split_heads(attention.wq(x), head_dim)
    k = split_heads(attention.wk(x), head_dim)
    v = split_heads(attention.wv(x), head_dim)
    # {% endmacro %}
    # {% macro arrange() %}
    q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
    k, v = (heads.expand(-1, model_config.n_heads, -1, -1) for heads in (k, v))
    # {% endmacro %}
    return q, k, v, head_dim
