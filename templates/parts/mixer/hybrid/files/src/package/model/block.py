"""The two kinds of layers of the model.

Shapes: B batch, T tokens, D width.
"""

from torch import Tensor, nn

from .attention import Attention
from .cache import LayerCache
from .feed_forward import FeedForward
from .hyperparameters import ModelConfig
from .mamba import Mamba2
from .mamba_cache import MambaCache


# {# Slots: norms reads config, binds self.attention_norm and self.ffn_norm; mamba_norms binds
#    self.mamba_norm and self.ffn_norm. #}
class Block(nn.Module):
    """Attention, then the feed-forward network; each reads the normalized stream and adds to it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        # {% print normalization.norms() %}
        self.attention = Attention(config)
        self.feed_forward = FeedForward(config)

    def forward(self, x: Tensor, cache: LayerCache | None = None) -> Tensor:
        """x (B, T, D) -> (B, T, D); with a cache, x follows the tokens that the cache has seen."""
        x = x + self.attention(self.attention_norm(x), cache)
        x = x + self.feed_forward(self.ffn_norm(x))
        return x


class MambaBlock(nn.Module):
    """Mamba-2, then the feed-forward network; each reads the normalized stream and adds to it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        # {% print normalization.mamba_norms() %}
        self.mamba = Mamba2(config)
        self.feed_forward = FeedForward(config)

    def forward(self, x: Tensor, cache: MambaCache | None = None) -> Tensor:
        """x (B, T, D) -> (B, T, D); with a cache, x follows the tokens that the cache has seen."""
        x = x + self.mamba(self.mamba_norm(x), cache)
        x = x + self.feed_forward(self.ffn_norm(x))
        return x
