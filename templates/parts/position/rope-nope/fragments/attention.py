"""Queries and keys are turned by their position, in most layers."""

from .rope import RotaryEmbedding


class Attention:
    def __init__(self, config):
        # {% macro modules() %}
        self.rope: RotaryEmbedding | None = RotaryEmbedding(
            config.head_dim, config.max_seq_len, config.rope_theta
        )
        # {% endmacro %}
        self.config = config

    def forward(self, q, k, mask, cache):
        # {% macro rotate() %}
        if self.rope is not None:
            start = 0 if cache is None else cache.length
            q, k = self.rope(q, start), self.rope(k, start)
        # {% endmacro %}
        # {% macro bias() %}
        # {% endmacro %}
        return q, k, mask, cache
