"""Causal self-attention in a sliding window.

Shapes: B batch, T tokens, S tokens that are looked at, D width, N heads, H head width.
"""

from torch import Tensor, nn

from .cache import LayerCache
from .hyperparameters import ModelConfig
from .window import window_mask


# {# Slots: projections reads config, binds self.wq, wk, wv, wo; biases adds to them; norms and
#    rotary read config, may bind modules of self; normalize rebinds q and k; rotate reads cache,
#    rebinds q and k; bias reads q and k, rebinds mask; attend_masked reads q, k, v and mask, binds
#    heads. #}
class Attention(nn.Module):
    """Every token looks at itself and at the ``window - 1`` tokens before it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.head_dim = config.head_dim
        self.window = config.window
        # {% print attention.projections() %}
        # {% print projection_bias.biases() %}
        # {% print qk_norm.norms() %}
        # {% print position.rotary() %}

    def forward(self, x: Tensor, cache: LayerCache | None = None) -> Tensor:
        """x (B, T, D) -> (B, T, D); with a cache, x follows the tokens that the cache has seen."""
        q = self.wq(x).unflatten(-1, (-1, self.head_dim))  # (B, T, N, H), as k and v
        k = self.wk(x).unflatten(-1, (-1, self.head_dim))
        v = self.wv(x).unflatten(-1, (-1, self.head_dim))
        # {% print qk_norm.normalize() %}
        # {% print position.rotate() %}
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)  # (B, N, T, H)
        mask: Tensor | None = None
        if cache is not None:
            k, v, mask = cache.extend(k, v)
        elif x.size(1) > self.window:  # a shorter sequence needs no mask, and has a faster kernel
            mask = window_mask(x.size(1), x.size(1), self.window, x.device)
        # {% print position.bias() %}
        # {% print attention.attend_masked() %}
        out: Tensor = self.wo(heads.transpose(1, 2).flatten(2))
        return out
