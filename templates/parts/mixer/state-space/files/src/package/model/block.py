"""One layer of the model.

Shapes: B batch, T tokens, D width.
"""

from torch import Tensor, nn

from .hyperparameters import ModelConfig
from .mamba import Mamba2
from .mamba_cache import MambaCache


# {# Slots: mamba_norm reads config, binds self.mamba_norm. #}
class Block(nn.Module):
    """Mamba-2, which reads the normalized stream and adds to it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        # {% print normalization.mamba_norm() %}
        self.mamba = Mamba2(config)

    def forward(self, x: Tensor, cache: MambaCache | None = None) -> Tensor:
        """x (B, T, D) -> (B, T, D); with a cache, x follows the tokens that the cache has seen."""
        x = x + self.mamba(self.mamba_norm(x), cache)
        return x
