"""Causal self-attention, in a sliding window or over the whole context.

Shapes: B batch, T tokens, S tokens that are looked at, D width, N heads, H head width.
"""

from torch import Tensor, nn

from .cache import LayerCache
from .hyperparameters import ModelConfig
from .window import window_mask


# {# Slots: projections reads config, binds what of self project needs, and self.wo; modules add to
#    that. project reads x, binds q and k (B, T, N, H), the features that know their position, and
#    what else it takes; normalize rebinds q and k; rotate reads cache, rebinds q and k, or returns
#    the output. arrange binds q, k and v (B, N, T, H), of which the cache keeps k and v; bias reads
#    q and k, rebinds mask;
#    attend_masked reads q, k and v, of S tokens, and mask, binds heads (B, N, T, H). #}
class Attention(nn.Module):
    """Every token looks at itself and at the ``window - 1`` tokens before it.

    A layer that sees the whole context has a window that is as long.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.window = config.window
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
        elif x.size(1) > self.window:  # a shorter sequence needs no mask, and has a faster kernel
            mask = window_mask(x.size(1), x.size(1), self.window, x.device)
        # {% print position.bias() %}
        # {% print attention.attend_masked() %}
        out: Tensor = self.wo(heads.transpose(1, 2).flatten(2))
        return out
