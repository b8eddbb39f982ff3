"""The last tokens."""


class ModelConfig:
    # {% macro fields() %}
    window: int = {{design.span.window}}  # tokens that each one sees, itself among them
    # {% endmacro %}
    pass
