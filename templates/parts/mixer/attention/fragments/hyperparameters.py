"""Heads of attention."""


class ModelConfig:
    # {% macro docstring() %}
    """Sizes of the transformer."""

    # {% endmacro %}

    # {% macro fields() %}
    n_heads: int = {{design.task.n_heads}}  # query heads in each layer
    # {% endmacro %}
