"""Unused rows, and no logits for them."""

from torch import nn


class Model(nn.Module):
    def __init__(self, config):
        # {% macro embeddings() %}
        # More rows than tokens, up to a multiple, since products of such sizes are faster.
        self.tok_embeddings = nn.Embedding(config.padded_vocab_size, config.dim)
        # {% endmacro %}

    def forward(self, logits):
        # {% macro logits() %}
        # {% print each.own_logits() %}
        # Unused rows take no part in the loss, and none of them is ever sampled.
        logits = logits[..., : self.config.vocab_size]
        # {% endmacro %}
        return logits
