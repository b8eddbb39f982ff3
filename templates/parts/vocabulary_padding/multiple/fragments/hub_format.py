"""Rows that no token has stay here."""

import torch.nn.functional as F


def to_hub(tensors, config):
    # {% macro pack() %}
    # There are as many rows as tokens there.
    for name in [name for name in tensors if name in ("tok_embeddings.weight", "output.weight")]:
        tensors[name] = tensors[name][: config.vocab_size]
    # {% endmacro %}
    return tensors


def from_hub(weights, config):
    # {% macro unpack() %}
    unused = config.padded_vocab_size - config.vocab_size
    for name in [name for name in weights if name in ("tok_embeddings.weight", "output.weight")]:
        weights[name] = F.pad(weights[name], (0, 0, 0, unused))  # with rows of zeros
    # {% endmacro %}
    return weights
