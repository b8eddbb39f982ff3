"""The base of the angles."""


class ModelConfig:
    # {% macro fields() %}
    rope_theta: float = {{design.position.rope_theta}}  # base of the angles of rotation
    # {% endmacro %}
    pass
