"""The base of the angles, and where there are none."""


class ModelConfig:
    # {% macro fields() %}
    rope_theta: float = {{design.position.rope_theta}}  # base of the angles of rotation
    nope_every: int = {{design.position.nope_every}}  # one layer in so many knows no positions
    # {% endmacro %}

    # {% macro methods() %}
    def has_rope(self, layer: int) -> bool:
        """Whether a layer (from 0) turns queries and keys by their position."""
        return (layer + 1) % self.nope_every != 0

    # {% endmacro %}
