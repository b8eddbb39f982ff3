"""All heads together have a root mean square that is learned."""

from torch import nn


class Attention:
    def __init__(self, config):
        # {% macro modules() %}
        self.q_norm = nn.RMSNorm(self.wq.out_features, eps=config.norm_eps)
        self.k_norm = nn.RMSNorm(self.wk.out_features, eps=config.norm_eps)
        # {% endmacro %}
        self.config = config

    def forward(self, q, k):
        # {% macro normalize() %}
        # QK-norm over all heads at once, as in OLMo 2 (arXiv:2501.00656, section 3.3).
        # In the type of the weights, float32: autocast has a kernel for no other.
        q, k = q.type_as(self.q_norm.weight), k.type_as(self.k_norm.weight)
        q = self.q_norm(q.flatten(-2)).unflatten(-1, (-1, self.head_dim))
        k = self.k_norm(k.flatten(-2)).unflatten(-1, (-1, self.head_dim))
        # {% endmacro %}
        return q, k
