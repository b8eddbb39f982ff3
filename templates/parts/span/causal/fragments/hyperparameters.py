"""All tokens before it."""


class ModelConfig:
    # {% macro fields() %}
    # {% endmacro %}
    pass
