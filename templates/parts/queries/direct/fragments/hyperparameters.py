"""No width of its own."""


class ModelConfig:
    # {% macro fields() %}
    # {% endmacro %}
    pass
