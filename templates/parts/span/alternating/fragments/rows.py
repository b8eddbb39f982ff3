"""How far tokens see."""


class BlockRows:
    def __init__(self, config, n_tokens):
        # {% macro windows() %}
        windows = [
            n_tokens if config.is_global(layer) else config.window
            for layer in range(config.n_layers)
        ]
        # {% endmacro %}
        self.windows = windows
