"""Causal self-attention in a sliding window.

Shapes: B batch, T tokens, S tokens that are looked at, D width, N heads, H head width.
"""

from torch import Tensor, nn

from .cache import LayerCache
from .hyperparameters import ModelConfig
from .window import window_mask


# {# Slots: widths and projections read config, bind what of self project needs, and self.wo; rotary
#    reads config, may bind a module of self. project reads x, binds q and k (B, T, N, H), the
#    features that know their position, and what else it takes; rotate reads cache, rebinds q and k.
#    arrange binds q, k and v (B, N, T, H), of which the cache keeps k and v; attend reads them, of
#    S tokens, and mask, binds heads (B, N, T, H). #}
class Attention(nn.Module):
    """Every token looks at itself and at the ``window - 1`` tokens before it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        # {% print attention.widths() %}
        self.window = config.window
        # {% print attention.projections() %}
        # {% print position.rotary() %}

    def forward(self, x: Tensor, cache: LayerCache | None = None) -> Tensor:
        """x (B, T, D) -> (B, T, D); with a cache, x follows the tokens that the cache has seen."""
        # {% print attention.project() %}
        # {% print position.rotate() %}
        # {% print attention.arrange() %}
        mask: Tensor | None = None
        if cache is not None:
            k, v, mask = cache.extend(k, v)
        elif x.size(1) > self.window:  # a shorter sequence needs no mask, and has a faster kernel
            mask = window_mask(x.size(1), x.size(1), self.window, x.device)
        # {% print attention.attend() %}
        out: Tensor = self.wo(heads.transpose(1, 2).flatten(2))
        return out
