"""The heads divide the width."""


class ModelConfig:
    # {% macro methods() %}
    def __post_init__(self) -> None:
        """Raises ``ValueError`` if the heads do not divide the width."""
        if self.dim % self.n_heads != 0:
            raise ValueError(
                f"dim = {self.dim}: must be a multiple of n_heads = {self.n_heads};"
                f" the next one is {self.n_heads * (self.dim // self.n_heads + 1)}"
            )

    @property
    def head_dim(self) -> int:
        """Width of one head."""
        return self.dim // self.n_heads

    # {% endmacro %}
