"""Scores fall with the distance."""

from .alibi import LinearBiases


class Attention:
    def __init__(self, config):
        # {% macro modules() %}
        self.biases = LinearBiases(config.n_heads)
        # {% endmacro %}
        self.config = config

    def forward(self, q, k, mask, cache):
        # {% macro rotate() %}
        # {% endmacro %}
        # {% macro bias() %}
        mask = self.biases(q, k, mask)
        # {% endmacro %}
        return q, k, mask, cache
