"""Another base in a window."""


class ModelConfig:
    # {% macro fields() %}
    local_rope_theta: float = {{design.local_rope.local_rope_theta}}  # the same, in a window
    # {% endmacro %}
    pass
