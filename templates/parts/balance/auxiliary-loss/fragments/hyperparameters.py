"""The weight of the term."""


class ModelConfig:
    # {% macro fields() %}
    balance_weight: float = {{design.balance.balance_weight}}  # of the balance in the objective
    # {% endmacro %}
    pass
