"""Fewer key and value heads than query heads."""


class ModelConfig:
    # {% macro fields() %}
    n_kv_heads: int = {{design.attention.n_kv_heads}}  # key and value heads in each layer
    # {% endmacro %}
