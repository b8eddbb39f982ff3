"""A model without attention."""


class ModelConfig:
    # {% macro docstring() %}
    """Sizes of the model; raises ``ValueError`` if they do not go together."""

    # {% endmacro %}
