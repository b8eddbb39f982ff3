"""A model without attention."""


class ModelConfig:
    # {% macro docstring() %}
    """Sizes of the model."""

    # {% endmacro %}
