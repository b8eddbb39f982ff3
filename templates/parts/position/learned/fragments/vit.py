"""One vector for each position.

# {% macro summary() %}
- Learned position embeddings, added to the patch embeddings (arXiv:2010.11929).
# {% endmacro %}
"""

from torch import nn


class Model:
    def __init__(self, config):
        # {% macro embedding() %}
        self.pos_embeddings = nn.Embedding(config.tokens_per_sample, config.dim)
        # {% endmacro %}
        self.config = config

    def forward(self, x, start, end):
        # {% macro embed() %}
        x = x + self.pos_embeddings.weight
        # {% endmacro %}
        return x, start, end
