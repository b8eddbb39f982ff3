"""Each head has a root mean square of 1."""

from torch import Tensor


# {% macro function() %}
def normalized(heads: Tensor, eps: float) -> Tensor:
    return heads / (heads.square().mean(dim=-1, keepdim=True) + eps).sqrt()


# {% endmacro %}
def test_attention(attention, model_config, head_dim, q, k):
    # {% macro normalize() %}
    q, k = normalized(q, model_config.norm_eps), normalized(k, model_config.norm_eps)
    # {% endmacro %}
    return q, k
