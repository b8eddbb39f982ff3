"""Bounded scores."""

from .blocks import BlockLayer
from .soft_cap import capped_attention


class Attention:
    def __init__(self, config):
        # {% macro modules() %}
        self.score_cap = config.score_cap
        # {% endmacro %}

    def forward(self, q, k, v, mask, cache):
        # {% macro attend() %}
        if isinstance(cache, BlockLayer):
            heads = cache.attend(q, k, v, self.score_cap)
        else:
            heads = capped_attention(q, k, v, mask, self.score_cap)
        # {% endmacro %}
        # {% macro attend_shared() %}
        if isinstance(cache, BlockLayer):
            heads = cache.attend(q, k, v, self.score_cap)
        else:
            heads = capped_attention(q, k, v, mask, self.score_cap)
        # {% endmacro %}
        # {% macro attend_shared_masked() %}
        if isinstance(cache, BlockLayer):
            heads = cache.attend(q, k, v, self.score_cap)
        else:
            heads = capped_attention(q, k, v, mask, self.score_cap)
        # {% endmacro %}
        return heads
