"""Each head has a root mean square that is learned."""

from torch import Tensor


# {% macro function() %}
def normalized(heads: Tensor, eps: float) -> Tensor:
    return heads / (heads.square().mean(dim=-1, keepdim=True) + eps).sqrt()


# {% endmacro %}
def test_attention(attention, model_config, head_dim, q, k):
    # {% macro normalize() %}
    q = normalized(q, model_config.norm_eps) * attention.q_norm.weight
    k = normalized(k, model_config.norm_eps) * attention.k_norm.weight
    # {% endmacro %}
    return q, k
