"""Causal self-attention.

Shapes: B batch, T tokens, S tokens that are looked at, D width, N heads, H head width.
"""

from torch import Tensor, nn

from .cache import LayerCache
from .hyperparameters import ModelConfig


# {# Slots: projections reads config, binds what of self project needs, and self.wo; modules add to
#    that. project reads x, binds q and k (B, T, N, H), the features that know their position, and
#    what else it takes; normalize rebinds q and k; rotate reads cache, rebinds q and k, or returns
#    the output. arrange binds q, k and v (B, N, T, H), of which the cache keeps k and v; bias reads
#    q and k, rebinds mask;
#    attend reads q, k and v, of S tokens, and mask, binds heads (B, N, T, H). #}
class Attention(nn.Module):
    """Every token looks at itself and at all tokens before it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        # {% print attention.projections() %}
        # {% print each.modules() %}

    def forward(self, x: Tensor, cache: LayerCache | None = None) -> Tensor:
        """x (B, T, D) -> (B, T, D); with a cache, x follows the tokens that the cache has seen."""
        # {% print attention.project() %}
        # {% print qk_norm.normalize() %}
        # {% print each.rotate() %}
        # {% print attention.arrange() %}
        mask: Tensor | None = None
        if cache is not None:
            k, v, mask = cache.extend(k, v)
        # {% print position.bias() %}
        # {% print attention.attend() %}
        out: Tensor = self.wo(heads.transpose(1, 2).flatten(2))
        return out
