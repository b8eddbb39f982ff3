"""How far tokens see."""


class PackedRows:
    def __init__(self, config, n_tokens):
        # {% macro windows() %}
        windows = [config.window] * config.n_layers
        # {% endmacro %}
        self.windows = windows
