"""As many key and value heads as query heads."""


class LayerCache:
    def __init__(self, config):
        # {% macro cache_heads() %}
        n_heads = config.n_heads
        # {% endmacro %}
        self.n_heads = n_heads
