"""Fewer key and value heads than query heads."""


class ModelConfig:
    # {% macro fields() %}
    n_kv_heads: int = {{design.attention.n_kv_heads}}  # key and value heads in each layer
    # {% endmacro %}

    # {% macro head_dim() %}
    @property
    def head_dim(self) -> int:
        """Width of one head."""
        return self.dim // self.n_heads

    # {% endmacro %}
