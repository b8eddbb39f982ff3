"""Each head has a root mean square that is learned."""

from torch import nn


class Attention:
    def __init__(self, config):
        # {% macro modules() %}
        self.q_norm = nn.RMSNorm(config.head_dim, eps=config.norm_eps)
        self.k_norm = nn.RMSNorm(config.head_dim, eps=config.norm_eps)
        # {% endmacro %}
        self.config = config

    def forward(self, q, k):
        # {% macro normalize() %}
        # QK-norm bounds the scores, which keeps training stable (arXiv:2302.05442, section 2).
        # In the type of the weights, float32: autocast has a kernel for no other.
        q, k = q.type_as(self.q_norm.weight), k.type_as(self.k_norm.weight)
        q, k = self.q_norm(q), self.k_norm(k)
        # {% endmacro %}
        return q, k
