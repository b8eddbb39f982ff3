"""One key and value head for all query heads."""


class LayerCache:
    def __init__(self, config):
        # {% macro cache_heads() %}
        n_heads = 1
        # {% endmacro %}
        self.n_heads = n_heads
