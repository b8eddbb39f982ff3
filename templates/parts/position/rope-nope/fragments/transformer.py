"""Positions turn queries and keys of most layers."""

from .block import Block


class Model:
    def __init__(self, config):
        # {% macro modules() %}
        for index, layer in enumerate(self.layers):
            if isinstance(layer, Block) and not config.has_rope(index):
                layer.attention.rope = None
        # {% endmacro %}
