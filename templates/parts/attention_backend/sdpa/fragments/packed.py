"""A mask for each window."""


class PackedRows:
    def __init__(self, positions, windows):
        # {% macro layers() %}
        layers = {window: PackedLayer(positions, window) for window in set(windows)}
        # {% endmacro %}
        self.layers = [layers[window] for window in windows]
