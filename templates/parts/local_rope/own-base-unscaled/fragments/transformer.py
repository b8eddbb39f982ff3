"""Another base in a window, and no scaling."""

from .block import Block
from .local_rope import LocalRotaryEmbedding


class Model:
    def __init__(self, config):
        # {% macro modules() %}
        for index, layer in enumerate(self.layers):
            if isinstance(layer, Block) and not config.is_global(index):
                layer.attention.rope = LocalRotaryEmbedding(
                    config.head_dim, config.max_seq_len, config.local_rope_theta
                )
        # {% endmacro %}
