"""Fewer key and value heads than query heads.

# {% macro summary() %}
- Grouped-query attention: several query heads share one key and value head (arXiv:2305.13245).
# {% endmacro %}
"""


class Model:
    def flops_per_token(self):
        # {% macro flops() %}
        # Scores and weighted sum: 2 FLOPs each for every pair of tokens and feature.
        attention = 4 * self.config.n_layers * self.config.max_seq_len * self.config.dim
        # {% endmacro %}
        return attention
