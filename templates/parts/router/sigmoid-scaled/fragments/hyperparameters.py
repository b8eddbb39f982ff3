"""What weights add up to."""


class ModelConfig:
    # {% macro fields() %}
    # What the weights of a token's experts add up to.
    routed_scaling_factor: float = {{design.router.routed_scaling_factor}}
    # {% endmacro %}
