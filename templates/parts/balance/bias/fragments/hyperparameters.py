"""The step of the biases."""


class ModelConfig:
    # {% macro fields() %}
    bias_update_rate: float = {{design.balance.bias_update_rate}}  # of an expert's bias, each step
    # {% endmacro %}
    pass
