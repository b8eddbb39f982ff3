"""As many key and value heads as query heads.

# {% macro summary() %}
- Multi-head attention: every head has queries, keys and values of its own (arXiv:1706.03762).
# {% endmacro %}
"""


class Model:
    def flops_per_token(self):
        # {% macro flops() %}
        # Scores and weighted sum: 2 FLOPs each for every pair of tokens and feature.
        attention = 4 * self.config.n_layers * self.config.max_seq_len * self.config.dim
        # {% endmacro %}
        return attention
