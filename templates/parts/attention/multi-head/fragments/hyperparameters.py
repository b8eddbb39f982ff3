"""As many key and value heads as query heads."""


class ModelConfig:
    # {% macro fields() %}
    # {% endmacro %}
    pass
