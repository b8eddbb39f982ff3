"""Each device has the slopes of its own heads."""

from torch import Tensor

from .model.alibi import LinearBiases
from .model.block import Block


# {% macro classes() %}
class OwnBiases(LinearBiases):
    """The linear biases of those of ``n_heads`` heads that this device has."""

    def __init__(self, n_heads: int, mesh: DeviceMesh) -> None:
        self.mesh = mesh
        super().__init__(n_heads)

    def _make_slopes(self) -> Tensor:
        return super()._make_slopes().chunk(self.mesh.size())[self.mesh.get_local_rank()]


# {% endmacro %}
def spread(model, mesh):
    # {% macro spread() %}
    for layer in model.layers:
        if isinstance(layer, Block):
            layer.attention.biases = OwnBiases(model.config.n_heads, mesh)
    # {% endmacro %}
