"""How much turns, and the base of the angles."""


class ModelConfig:
    # {% macro fields() %}
    rope_fraction: float = {{design.position.rope_fraction}}  # of the features of a head that turn
    rope_theta: float = {{design.position.rope_theta}}  # base of the angles of rotation
    # {% endmacro %}
    pass
