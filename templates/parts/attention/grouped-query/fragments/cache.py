"""Fewer key and value heads than query heads."""


class LayerCache:
    def __init__(self, config):
        # {% macro cache_heads() %}
        n_heads = config.n_kv_heads
        # {% endmacro %}
        self.n_heads = n_heads
