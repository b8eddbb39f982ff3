"""How far tokens see."""


class PackedRows:
    def __init__(self, config, positions):
        # {% macro windows() %}
        windows = [
            positions.size(1) if config.is_global(layer) else config.window
            for layer in range(config.n_layers)
        ]
        # {% endmacro %}
        self.windows = windows
