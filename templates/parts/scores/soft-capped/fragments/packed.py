"""Blocks on a GPU, a mask elsewhere."""

from .blocks import BlockLayer, in_document


class PackedRows:
    def __init__(self, positions, windows):
        # {% macro layers() %}
        n_rows, n_tokens = positions.shape
        layers: dict[int, LayerCache] = {}
        for window in set(windows):
            # As for rows of one text: blocks where FlexAttention has a backward pass, and no empty
            # batch, as a rank may have in an evaluation; elsewhere a mask of the same pairs.
            if positions.is_cuda and n_rows > 0:
                is_visible = in_document(positions, window)
                layers[window] = BlockLayer(is_visible, n_rows, n_tokens, positions.device)
            else:
                layers[window] = PackedLayer(positions, window)
        # {% endmacro %}
        self.layers = [layers[window] for window in windows]
