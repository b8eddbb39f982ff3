"""A decoder-only hybrid of Mamba-2 and attention, from the embeddings to the logits.

Shapes: B batch, T tokens, D width, V vocabulary.
"""

import math

import torch
from torch import Tensor, nn

from .block import Block, MambaBlock
from .cache import Cache
from .hyperparameters import ModelConfig
from .mamba import Mamba2

# {# Slots: embedding reads config, may bind modules of self, as do modules, which bind self.norm;
#    embed reads self, start and end (positions of tokens), rebinds x; logits read x, return them;
#    table is a row of the docstring; init reads name, fills weight; init_buffers reads self; flops
#    read self, bind attention, may rebind products. #}
INIT_STD = 0.02  # GPT-2, https://github.com/openai/gpt-2/blob/master/src/model.py


class Transformer(nn.Module):
    """Token embeddings, ``n_layers`` blocks of two kinds, a final norm, and logits."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.tok_embeddings = nn.Embedding(config.vocab_size, config.dim)
        # {% print position.embedding() %}
        self.layers = nn.ModuleList(
            Block(config) if config.has_attention(layer) else MambaBlock(config)
            for layer in range(config.n_layers)
        )
        # {% print each.modules() %}

    def forward(self, tokens: Tensor, cache: Cache | None = None) -> Tensor:
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
        # {% print position.embed() %}
        layer_caches = [None] * len(self.layers) if cache is None else cache.layers
        for layer, layer_cache in zip(self.layers, layer_caches, strict=True):
            x = layer(x, layer_cache)
        # {% print each.logits() %}

    def new_cache(self, batch_size: int) -> Cache:
        """An empty cache for ``batch_size`` sequences, beside the weights and in their type."""
        weight = self.tok_embeddings.weight
        return Cache(self.config, batch_size, weight.device, weight.dtype)

    @torch.no_grad()
    def init_weights(self, seed: int) -> None:
        """Draw every weight anew; a seed gives the same values on every device.

        =====================  ===========================================
        embeddings             normal, std 0.02
        wo, w2 and out_proj    normal, std 0.02 / sqrt(2 n_layers)
        every other matrix     normal, std 0.02
        norms                  1
        # {% print projection_bias.table() %}
        other of Mamba-2       see ``Mamba2.init_weights``
        =====================  ===========================================

        ``wo``, ``w2`` and ``out_proj`` write into the residual stream: the 2 n_layers of them
        together add to it as much variance as one matrix without that factor (GPT-2, section 2.3).
        """
        generator = torch.Generator().manual_seed(seed)
        for name, weight in self.named_parameters():
            # {% print projection_bias.init() %}
            if weight.ndim == 1:
                weight.fill_(1.0)
                continue
            is_residual = name.endswith(("wo.weight", "w2.weight", "out_proj.weight"))
            std = INIT_STD / math.sqrt(2 * self.config.n_layers) if is_residual else INIT_STD
            drawn = torch.normal(0.0, std, weight.shape, generator=generator, device="cpu")
            weight.copy_(drawn)
        for module in self.modules():
            if isinstance(module, Mamba2):
                module.init_weights(generator)
        # {% print each.init_buffers() %}

    def flops_per_token(self) -> int:
        """FLOPs of forward and backward per token, in a sequence of ``max_seq_len`` tokens.

        A product of (m, k) and (k, n) takes 2 m k n, and backward takes twice what forward does.
        Attention counts all pairs of tokens, masked or not (PaLM, appendix B, arXiv:2204.02311),
        and Mamba-2 those of each chunk.
        """
        matrices = [m.weight for m in self.layers.modules() if isinstance(m, nn.Linear)]
        # The output matrix is as large as that of the embeddings, of which rows are looked up only.
        products = 2 * sum(weight.numel() for weight in (*matrices, self.tok_embeddings.weight))
        # {% print each.flops() %}
        # That is attention in all layers, of which some have it.
        attention = attention * self.config.n_attention_layers // self.config.n_layers
        mixers = [m for m in self.layers.modules() if isinstance(m, Mamba2)]
        scans = sum(mixer.scan_flops_per_token() for mixer in mixers)
        return 3 * (products + attention + scans)


def build_model(config: ModelConfig, device: torch.device, seed: int) -> Transformer:
    """A model with new weights on ``device``; memory for them is taken there and nowhere else."""
    with torch.device("meta"):
        model = Transformer(config)
    model.to_empty(device=device)
    model.init_weights(seed)
    return model
