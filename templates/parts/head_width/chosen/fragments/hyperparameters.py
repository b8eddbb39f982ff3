"""Heads have a width of their own."""


class ModelConfig:
    # {% macro fields() %}
    head_dim: int = {{design.head_width.head_dim}}  # width of one head
    # {% endmacro %}
