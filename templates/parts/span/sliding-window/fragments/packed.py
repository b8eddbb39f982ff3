"""How far tokens see."""


class PackedRows:
    def __init__(self, config, positions):
        # {% macro windows() %}
        windows = [config.window] * config.n_layers
        # {% endmacro %}
        self.windows = windows
