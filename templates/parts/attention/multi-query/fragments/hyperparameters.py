"""One key and value head for all query heads."""


class ModelConfig:
    # {% macro fields() %}
    # {% endmacro %}
    pass
