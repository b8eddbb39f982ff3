"""Attention knows no positions."""


class Attention:
    def __init__(self, config):
        # {% macro rotary() %}
        # {% endmacro %}
        self.config = config

    def forward(self, q, k, mask, cache):
        # {% macro rotate() %}
        # {% endmacro %}
        # {% macro bias() %}
        # {% endmacro %}
        return q, k, mask, cache
