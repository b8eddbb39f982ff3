"""A decoder-only transformer for language modelling, from the embeddings to the logits.

Shapes: B batch, T tokens, D width, V vocabulary.
"""

import torch
from torch import Tensor, nn

from .block import Block
from .cache import Cache
from .hyperparameters import ModelConfig
from .initialization import init_weights

# {# Slots: embeddings and modules read config, bind or rebind modules of self, and self.norm;
#    parameter is one of forward; embed reads self, start and end (positions of tokens), rebinds x
#    or cache; logits read x, may rebind logits, return them; flops read self, bind attention, may
#    rebind products. #}


class Transformer(nn.Module):
    """Token embeddings, ``n_layers`` blocks, a final norm, and logits."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        # {% print vocabulary_padding.embeddings() %}
        self.layers = nn.ModuleList(Block(config) for _ in range(config.n_layers))
        # {% print each.modules() %}

    def forward(
        self,
        tokens: Tensor,
        cache: Cache | None = None,
        # {% print documents.parameter() %}
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
        # {% print each.embed() %}
        layer_caches = [None] * len(self.layers) if cache is None else cache.layers
        for layer, layer_cache in zip(self.layers, layer_caches, strict=True):
            x = layer(x, layer_cache)
        # {% print each.logits() %}

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
        # {% print each.flops() %}
        return 3 * (products + attention)


def build_model(config: ModelConfig, device: torch.device, seed: int) -> Transformer:
    """A model with new weights on ``device``; memory for them is taken there and nowhere else."""
    with torch.device("meta"):
        model = Transformer(config)
    model.to_empty(device=device)
    init_weights(model, config, seed)
    return model
