"""Fewer key and value heads than query heads."""

from torch import nn


class Attention(nn.Module):
    def __init__(self, config):
        # {% macro projections() %}
        self.head_dim = config.head_dim
        if config.n_heads % config.n_kv_heads != 0:
            raise ValueError(
                f"n_heads = {config.n_heads}: must be a multiple of n_kv_heads ="
                f" {config.n_kv_heads}, since as many query heads share each key and value head"
            )
        q_dim = config.n_heads * config.head_dim
        kv_dim = config.n_kv_heads * config.head_dim
        self.wq = nn.Linear(config.dim, q_dim, bias=False)
        self.wk = nn.Linear(config.dim, kv_dim, bias=False)
        self.wv = nn.Linear(config.dim, kv_dim, bias=False)
        self.wo = nn.Linear(q_dim, config.dim, bias=False)
        # {% endmacro %}

    def forward(self, x, mask):
        # {% macro project() %}
        q = self.wq(x).unflatten(-1, (-1, self.head_dim))  # (B, T, N, H), as k and v
        k = self.wk(x).unflatten(-1, (-1, self.head_dim))
        v = self.wv(x).unflatten(-1, (-1, self.head_dim))
        # {% endmacro %}
        # {% macro arrange() %}
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)  # (B, N, T, H)
        # {% endmacro %}
        # {% macro attend() %}
        # {% print scores.attend_shared() %}
        # {% endmacro %}
        # {% macro attend_masked() %}
        # {% print scores.attend_shared_masked() %}
        # {% endmacro %}
        return heads
