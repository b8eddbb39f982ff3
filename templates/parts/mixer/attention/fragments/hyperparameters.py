"""Heads of attention."""


class ModelConfig:
    # {% macro fields() %}
    n_heads: int = {{design.task.n_heads}}  # query heads in each layer
    # {% endmacro %}
