"""Bounded scores, in one kernel on a GPU."""

from .rows import block_rows


class Model:
    def forward(self, tokens, cache):
        # {% macro embed() %}
        if cache is None and tokens.is_cuda and len(tokens) > 0:
            # In blocks, by FlexAttention: it has no backward pass elsewhere (torch 2.13), and takes
            # no empty batch, which a rank may have in an evaluation.
            cache = block_rows(self.config, tokens.size(1), tokens.device)
        # {% endmacro %}
        return cache
