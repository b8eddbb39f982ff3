"""A decoder-only transformer for language modelling, from the embeddings to the logits.

Shapes: B batch, T tokens, D width, V vocabulary.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .block import Block
from .cache import Cache
from .hyperparameters import ModelConfig
from .initialization import init_weights


class Transformer(nn.Module):
    """Token embeddings, ``n_layers`` blocks, a final norm, and logits."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.tok_embeddings = nn.Embedding(config.vocab_size, config.dim)
        self.layers = nn.ModuleList(Block(config) for _ in range(config.n_layers))
        self.norm = nn.RMSNorm(config.dim, eps=config.norm_eps)

    def forward(
        self,
        tokens: Tensor,
        cache: Cache | None = None,
    ) -> Tensor:
        """Logits (B, T, V) of what follows each of ``tokens`` (B, T), int64.

        With a cache, ``tokens`` follow those that the cache has seen, and join them.
        Raises ``ValueError`` where that makes more than ``max_seq_len`` tokens.
        """
        start = 0 if cache is None else cache.length
        end = start + tokens.size(1)
        if end > self.config.max_seq_len:
            raise ValueError(
                f"{end} tokens: the model sees at most max_seq_len = {self.config.max_seq_len};"
                " shorten the sequence, or start a new cache with its last tokens"
            )
        x = self.tok_embeddings(tokens)
        layer_caches = [None] * len(self.layers) if cache is None else cache.layers
        for layer, layer_cache in zip(self.layers, layer_caches, strict=True):
            x = layer(x, layer_cache)
        # The output matrix is the embedding itself, so nothing can untie the two.
        logits = F.linear(self.norm(x), self.tok_embeddings.weight)
        return logits

    def new_cache(self, batch_size: int) -> Cache:
        """An empty cache for ``batch_size`` sequences, beside the weights and in their type."""
        weight = self.tok_embeddings.weight
        return Cache(self.config, batch_size, weight.device, weight.dtype)

    def flops_per_token(self) -> int:
        """FLOPs of forward and backward per token, in a sequence of ``max_seq_len`` tokens.

        A product of (m, k) and (k, n) takes 2 m k n, and backward takes twice what forward does.
        Attention counts all pairs of tokens, masked or not (PaLM, appendix B, arXiv:2204.02311).
        """
        matrices = [m.weight for m in self.layers.modules() if isinstance(m, nn.Linear)]
        # The output matrix is as large as that of the embeddings, of which rows are looked up only.
        products = 2 * sum(weight.numel() for weight in (*matrices, self.tok_embeddings.weight))
        # Scores and weighted sum: 2 FLOPs each for every pair of tokens and feature.
        width = self.config.n_heads * self.config.head_dim
        attention = 4 * self.config.n_layers * self.config.max_seq_len * width
        return 3 * (products + attention)


def build_model(config: ModelConfig, device: torch.device, seed: int) -> Transformer:
    """A model with new weights on ``device``; memory for them is taken there and nowhere else."""
    with torch.device("meta"):
        model = Transformer(config)
    model.to_empty(device=device)
    init_weights(model, config, seed)
    return model
