"""Keys and values are made from the latent vectors."""

import torch


def test_attention(model_config, attention, x):
    # {% macro project() %}
    rotated, content = model_config.qk_rope_head_dim, model_config.qk_nope_head_dim
    head_dim = content + rotated
    queries = split_heads(attention.wq(x), head_dim)
    q = queries[..., content:]
    latent, k = attention.wkv_a(x)[..., :-rotated], attention.wkv_a(x)[..., None, -rotated:]
    # {% endmacro %}
    # {% macro arrange() %}
    square = latent.square().mean(dim=-1, keepdim=True)
    latent = latent / (square + 1e-6).sqrt()
    made = split_heads(attention.wkv_b(latent), content + model_config.v_head_dim)
    k = torch.cat((made[..., :content], k.repeat(1, 1, model_config.n_heads, 1)), dim=-1)
    q = torch.cat((queries[..., :content], q), dim=-1)
    # {% print each.sharpen() %}
    q, k, v = q.transpose(1, 2), k.transpose(1, 2), made[..., content:].transpose(1, 2)
    # {% endmacro %}
    return q, k, v, head_dim
