"""The size of the weights."""


class ModelConfig:
    # {% macro fields() %}
    init_std: float = {{design.initialization.init_std}}  # of every matrix, before the first step
    # {% endmacro %}
