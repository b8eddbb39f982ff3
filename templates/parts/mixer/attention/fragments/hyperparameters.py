"""Heads of attention."""


class ModelConfig:
    # {% macro docstring() %}
    """Sizes of the transformer; raises ``ValueError`` if they do not go together."""

    # {% endmacro %}

    # {% macro fields() %}
    n_heads: int = {{design.task.n_heads}}  # query heads in each layer
    # {% endmacro %}
