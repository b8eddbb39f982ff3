"""Heads of attention, and which layers have it."""


class ModelConfig:
    # {% macro docstring() %}
    """Sizes of the model."""

    # {% endmacro %}

    # {% macro fields() %}
    n_heads: int = {{design.task.n_heads}}  # query heads in each layer with attention
    attention_every: int = {{design.mixer.attention_every}}  # one layer in as many has attention
    attention_offset: int = {{design.mixer.attention_offset}}  # the first of them, from 0
    # {% endmacro %}

    # {% macro methods() %}
    def has_attention(self, layer: int) -> bool:
        """Whether a layer, counted from 0, has attention; if not, it has Mamba-2."""
        return layer % self.attention_every == self.attention_offset

    @property
    def n_attention_layers(self) -> int:
        """Layers that have attention."""
        return sum(self.has_attention(layer) for layer in range(self.n_layers))

    # {% endmacro %}
