"""As many rows as tokens."""

from torch import nn


class Model:
    def __init__(self, config):
        # {% macro embeddings() %}
        self.tok_embeddings = nn.Embedding(config.vocab_size, config.dim)
        # {% endmacro %}
        self.config = config
