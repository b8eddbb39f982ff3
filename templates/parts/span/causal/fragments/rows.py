"""How far tokens see."""


class BlockRows:
    def __init__(self, config, n_tokens):
        # {% macro windows() %}
        windows = [n_tokens] * config.n_layers
        # {% endmacro %}
        self.windows = windows
