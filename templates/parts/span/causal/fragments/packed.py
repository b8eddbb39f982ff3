"""How far tokens see."""


class PackedRows:
    def __init__(self, config, positions):
        # {% macro windows() %}
        windows = [positions.size(1)] * config.n_layers
        # {% endmacro %}
        self.windows = windows
