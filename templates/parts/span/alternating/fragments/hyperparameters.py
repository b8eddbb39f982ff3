"""The last tokens in most layers, all in some."""


class ModelConfig:
    # {% macro fields() %}
    window: int = {{design.span.window}}  # tokens that each one sees in most layers, with itself
    global_every: int = {{design.span.global_every}}  # one layer in so many sees all tokens
    # {% endmacro %}

    # {% macro methods() %}
    def is_global(self, layer: int) -> bool:
        """Whether a layer (from 0) sees the whole context, and not a window only."""
        return (layer + 1) % self.global_every == 0

    # {% endmacro %}
