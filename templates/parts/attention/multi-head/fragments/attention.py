"""As many key and value heads as query heads."""

from torch import nn


class Attention(nn.Module):
    def __init__(self, config):
        # {% macro projections() %}
        self.head_dim = config.head_dim
        width = config.n_heads * config.head_dim
        self.wq = nn.Linear(config.dim, width, bias=False)
        self.wk = nn.Linear(config.dim, width, bias=False)
        self.wv = nn.Linear(config.dim, width, bias=False)
        self.wo = nn.Linear(width, config.dim, bias=False)
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
        # {% print scores.attend() %}
        # {% endmacro %}
        # {% macro attend_masked() %}
        # {% print scores.attend() %}
        # {% endmacro %}
        return heads
