"""Keys and values come from one narrow vector for each token."""


class Model:
    def flops_per_token(self):
        # {% macro flops() %}
        # Scores and weighted sum: 2 FLOPs for every pair of tokens and feature of a key or value.
        widths = (
            self.config.qk_nope_head_dim + self.config.qk_rope_head_dim + self.config.v_head_dim
        )
        pairs = self.config.n_layers * self.config.n_heads * self.config.max_seq_len
        attention = 2 * pairs * widths
        # {% endmacro %}
        return attention
