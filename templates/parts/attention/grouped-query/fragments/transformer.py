"""Fewer key and value heads than query heads."""


class Model:
    def flops_per_token(self):
        # {% macro flops() %}
        # Scores and weighted sum: 2 FLOPs each for every pair of tokens and feature.
        width = self.config.n_heads * self.config.head_dim
        attention = 4 * self.config.n_layers * self.config.max_seq_len * width
        # {% endmacro %}
        return attention
