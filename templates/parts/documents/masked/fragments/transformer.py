"""A row holds several texts."""

from torch import Tensor

from .packed import PackedRows


class Model:
    def forward(
        self,
        tokens,
        cache,
        # {% macro parameter() %}
        positions: Tensor | None = None,  # (B, T): how many tokens of its document precede each
        # {% endmacro %}
    ):
        # {% macro embed() %}
        if positions is not None:
            if cache is not None:
                raise ValueError("positions: are for whole rows; leave them out, or the cache")
            cache = PackedRows(self.config, positions)
        # {% endmacro %}
        return cache
