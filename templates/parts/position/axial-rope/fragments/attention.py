"""Queries and keys are turned by row and column."""

from .rope import AxialRotaryEmbedding


class Attention:
    def __init__(self, config):
        # {% macro modules() %}
        self.rope = AxialRotaryEmbedding(config.head_dim, config.grid_size)
        # {% endmacro %}
        self.config = config

    def forward(self, q, k, cache):
        # {% macro rotate() %}
        q, k = self.rope(q), self.rope(k)
        # {% endmacro %}
        return q, k, cache
