"""All heads together have a root mean square that is learned."""

from torch import Tensor


# {% macro function() %}
def normalized(heads: Tensor, eps: float) -> Tensor:
    return heads / (heads.square().mean(dim=-1, keepdim=True) + eps).sqrt()


# {% endmacro %}
def test_attention(attention, model_config, head_dim, q, k):
    # {% macro normalize() %}
    q = split_heads(normalized(q.flatten(2), model_config.norm_eps), head_dim)
    k = split_heads(normalized(k.flatten(2), model_config.norm_eps), head_dim)
    q = q * split_heads(attention.q_norm.weight, head_dim)
    k = k * split_heads(attention.k_norm.weight, head_dim)
    # {% endmacro %}
    return q, k
