"""Queries and keys are turned by their position."""

from .rope import RotaryEmbedding


class Attention:
    def __init__(self, config):
        # {% macro rotary() %}
        self.rope = RotaryEmbedding(config.head_dim, config.max_seq_len, config.rope_theta)
        # {% endmacro %}
        self.config = config

    def forward(self, q, k, cache):
        # {% macro rotate() %}
        start = 0 if cache is None else cache.length
        q, k = self.rope(q, start), self.rope(k, start)
        # {% endmacro %}
        return q, k, cache
