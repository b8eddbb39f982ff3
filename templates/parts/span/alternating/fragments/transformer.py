"""The last tokens in most layers, all in some."""

from .block import Block


class Model:
    def __init__(self, config):
        # {% macro modules() %}
        for index, layer in enumerate(self.layers):
            if isinstance(layer, Block) and config.is_global(index):
                layer.attention.window = config.max_seq_len
        # {% endmacro %}
