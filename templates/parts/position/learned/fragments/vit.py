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

    def init_weights(self):
        """Draw every weight anew.

        # {% macro init_row() %}
        position embeddings    normal, std 0.02
        # {% endmacro %}
        """

    def _init_std(self, name):
        # {% macro init_std() %}
        if name == "pos_embeddings.weight":
            return 0.02  # as the authors, https://github.com/google-research/vision_transformer
        # {% endmacro %}
        return 1.0
