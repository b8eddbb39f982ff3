"""The first layers have a dense network."""

from torch import nn

from .feed_forward import SwiGLU


class Model(nn.Module):
    def __init__(self, config):
        # {% macro modules() %}
        # No experts in the first layers, where their load evens out last (arXiv:2401.06066).
        for layer in self.layers[: config.n_dense_layers]:
            layer.feed_forward = SwiGLU(config.dim, config.dense_hidden_dim)
        # {% endmacro %}
