"""Each head has a root mean square of 1."""

import torch.nn.functional as F


class Attention:
    def __init__(self, config):
        # {% macro modules() %}
        self.norm_eps = config.norm_eps
        # {% endmacro %}
        self.config = config

    def forward(self, q, k):
        # {% macro normalize() %}
        # QK-norm bounds the scores, which keeps training stable (arXiv:2302.05442, section 2).
        q = F.rms_norm(q, (self.head_dim,), eps=self.norm_eps)
        k = F.rms_norm(k, (self.head_dim,), eps=self.norm_eps)
        # {% endmacro %}
        return q, k
