"""As many key and value heads as query heads."""


class ModelConfig:
    # {% macro fields() %}
    # {% endmacro %}

    # {% macro head_dim() %}
    @property
    def head_dim(self) -> int:
        """Width of one head."""
        return self.dim // self.n_heads

    # {% endmacro %}
