"""As many rows as tokens."""

from torch import nn


class Model(nn.Module):
    def __init__(self, config):
        # {% macro embedding() %}
        self.tok_embeddings = nn.Embedding(config.vocab_size, config.dim)
        # {% endmacro %}
