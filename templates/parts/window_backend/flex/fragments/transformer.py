"""Blocks on a GPU, a mask elsewhere."""

from .rows import block_rows


class Model:
    def forward(self, tokens, cache):
        # {% macro embed() %}
        if cache is None and tokens.is_cuda and len(tokens) > 0:
            # FlexAttention has no backward pass on the CPU and on MPS (torch 2.13): there, SDPA has
            # a mask. And it takes no empty batch, which a rank may have in an evaluation.
            cache = block_rows(self.config, tokens.size(1), tokens.device)
        # {% endmacro %}
        return cache
