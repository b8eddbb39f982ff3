"""Blocks on a GPU, a mask elsewhere."""

from .blocks import BlockLayer


class PackedRows:
    def __init__(self, positions, windows):
        # {% macro layers() %}
        # FlexAttention has no backward pass on the CPU and on MPS (torch 2.13): there, SDPA gets a
        # mask of the same pairs.
        layer_type = BlockLayer if positions.is_cuda else PackedLayer
        layers = {window: layer_type(positions, window) for window in set(windows)}
        # {% endmacro %}
        self.layers = [layers[window] for window in windows]
