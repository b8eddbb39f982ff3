"""One layer of the transformer.

Shapes: B batch, T tokens, D width.
"""

from torch import Tensor, nn

from .attention import Attention
from .cache import LayerCache
from .feed_forward import FeedForward
from .hyperparameters import ModelConfig


class Block(nn.Module):
    """Attention, then the feed-forward network; each reads the normalized stream and adds to it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.attention_norm = nn.RMSNorm(config.dim, eps=config.norm_eps)
        self.ffn_norm = nn.RMSNorm(config.dim, eps=config.norm_eps)
        self.attention = Attention(config)
        self.feed_forward = FeedForward(config)

    def forward(self, x: Tensor, cache: LayerCache | None = None) -> Tensor:
        """x (B, T, D) -> (B, T, D); with a cache, x follows the tokens that the cache has seen."""
        x = x + self.attention(self.attention_norm(x), cache)
        x = x + self.feed_forward(self.ffn_norm(x))
        return x
