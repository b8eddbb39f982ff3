"""Blocks on a GPU, a mask elsewhere."""

from .blocks import BlockLayer


class PackedRows:
    def __init__(self, positions, windows):
        # {% macro layers() %}
        # FlexAttention has no backward pass on the CPU and on MPS (torch 2.13): there, SDPA gets a
        # mask of the same pairs.
        # And it takes no empty batch, which a rank may have in an evaluation.
        layer_type = BlockLayer if positions.is_cuda and len(positions) > 0 else PackedLayer
        layers = {window: layer_type(positions, window) for window in set(windows)}
        # {% endmacro %}
        self.layers = [layers[window] for window in windows]
